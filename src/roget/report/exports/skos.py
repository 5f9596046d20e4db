"""SKOS as Turtle, which thesaurus editors and triple stores load."""

from __future__ import annotations

from collections.abc import Iterator

from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import PLAIN, Options, Target, write_lines
from roget.report.exports.concepts import NAMESPACES, Address, Name, Text, Value, described

_ESCAPES = {
    **{code: f"\\u{code:04X}" for code in (*range(0x20), 0x7F)},
    **str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}),
}


def write(thesaurus: Thesaurus, target: Target, options: Options = PLAIN) -> None:
    """Write classes and words as SKOS concepts in Turtle."""
    write_lines(target, _lines(thesaurus, options))


def literal(text: str) -> str:
    """A text as Turtle writes it.

    >>> print(literal('say "no"'))
    "say \\"no\\""
    """
    return f'"{text.translate(_ESCAPES)}"'


def _lines(thesaurus: Thesaurus, options: Options) -> Iterator[str]:
    for prefix, address in NAMESPACES.items():
        yield f"@prefix {prefix}: <{address}> .\n"
    for subject, facts in described(thesaurus, options):
        said = " ;\n    ".join(f"{_term(predicate)} {_term(value)}" for predicate, value in facts)
        yield f"\n{_term(subject)}\n    {said} .\n"


def _term(value: Value) -> str:
    match value:
        case Address(iri):
            return f"<{iri}>"
        case Name("rdf", "type"):
            return "a"
        case Name(prefix, local):
            return f"{prefix}:{local}"
        case Text(text, language):
            return literal(text) + (f"@{language}" if language else "")
