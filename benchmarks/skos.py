"""Measure time and memory for reading a large SKOS-XL vocabulary.

The vocabulary is synthetic and has the structure of AGROVOC: labels in twelve languages, each a
resource with form, dates and status; broader links, notations and notes. Each file is read in a
process of its own. The bars apply to the whole process, including the start of Python.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

from harness.measuring import MB, Case, Row, Rows, spend
from harness.script import run_script

SECONDS, MEMORY = 20.0, 1e9
"""Bars: CPU seconds and bytes, of 40,000 concepts."""

PEERS = ("pyoxigraph", "rdflib")
OPTIONS = {"concepts": {"type": int, "default": 40_000}}
LANGUAGES = ["en", "de", "fr", "es", "it", "pt", "ru", "ar", "zh", "hi", "tr", "cs"]
SYNTAX = {"triples": "nt", "turtle": "ttl", "xml": "rdf"}
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
SPACES = {
    "rdf": RDF,
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "skosxl": "http://www.w3.org/2008/05/skos-xl#",
    "dcterms": "http://purl.org/dc/terms/",
    "v": "http://vocabulary.example/",
}
WORK = """
import sys
from roget.learn.taxonomy import read
print(read(sys.argv[1], language="en"))
"""
Facts = list[tuple[str, str, str | None]]
"""Statements about one subject: predicate, object, and language (None for a name)."""


def vocabulary(concepts: int) -> Iterator[tuple[str, Facts]]:
    """Yield subjects with their statements."""
    chance = Random(0)
    for number in range(concepts):
        concept = f"v:c_{number}"
        facts: Facts = [("rdf:type", "skos:Concept", None), ("skos:inScheme", "v:all", None)]
        if number < 25:
            facts.append(("skos:topConceptOf", "v:all", None))
        else:
            facts.append(("skos:broader", f"v:c_{chance.randrange(number // 4)}", None))
        facts += [("skos:notation", str(number), ""), ("dcterms:created", "2026-11-17", "")]
        facts.append(("skos:definition", f"what is meant by the concept of number {number}", "en"))
        for language in LANGUAGES:
            for rank in range(1 + (number % 3 == 0)):
                label = f"v:xl_{language}_{number}_{rank}"
                kind = "altLabel" if rank else "prefLabel"
                facts.append((f"skosxl:{kind}", label, None))
                text = f"{language} term {number * 7919 % concepts} {'variant' * rank}".strip()
                yield (
                    label,
                    [
                        ("rdf:type", "skosxl:Label", None),
                        ("skosxl:literalForm", text, language),
                        ("dcterms:created", "2026-11-17", ""),
                    ],
                )
        yield concept, facts


def write(concepts: int, syntax: str, file: Path) -> int:
    """Write the vocabulary; return the number of statements."""
    total = 0
    with open(file, "w", encoding="utf-8") as out:
        if syntax == "turtle":
            out.writelines(f"@prefix {name}: <{iri}> .\n" for name, iri in SPACES.items())
        elif syntax == "xml":
            spaces = " ".join(f'xmlns:{name}="{iri}"' for name, iri in SPACES.items())
            out.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF {spaces}>\n')
        for subject, facts in vocabulary(concepts):
            total += len(facts)
            if syntax == "xml":
                out.write(f'<rdf:Description rdf:about="{full(subject)}">\n')
                out.writelines(f"  {element(*fact)}\n" for fact in facts)
                out.write("</rdf:Description>\n")
            elif syntax == "turtle":
                out.write(f"{subject}\n  ")
                said = [f"{name} {term(value, tongue)}" for name, value, tongue in facts]
                out.write(" ;\n  ".join(said) + " .\n")
            else:
                for name, value, tongue in facts:
                    object = f"<{full(value)}>" if tongue is None else term(value, tongue)
                    out.write(f"<{full(subject)}> <{full(name)}> {object} .\n")
        if syntax == "xml":
            out.write("</rdf:RDF>\n")
    return total


def full(name: str) -> str:
    """Return the full IRI."""
    prefix, _, local = name.partition(":")
    return SPACES[prefix] + local


def term(value: str, language: str | None) -> str:
    """Return a name or text in Turtle."""
    return value if language is None else f'"{value}"' + (f"@{language}" if language else "")


def element(name: str, value: str, language: str | None) -> str:
    """Return a name or text in RDF/XML."""
    if language is None:
        return f'<{name} rdf:resource="{full(value)}"/>'
    tongue = f' xml:lang="{language}"' if language else ""
    return f"<{name}{tongue}>{value}</{name}>"


def case(concepts: int, syntax: str, folder: Path) -> Rows:
    """Read one file in a new process."""
    file = folder / f"vocabulary.{SYNTAX[syntax]}"
    total = write(concepts, syntax, file)
    size = file.stat().st_size / MB
    used = spend(["-c", WORK, file])
    scale = max(concepts / 40_000, 0.1)
    yield Row(f"{syntax}, CPU", used.cpu, None, "", "s", SECONDS * scale)
    yield Row(f"{syntax}, peak", used.memory, None, "", "MB", MEMORY)
    yield (
        f"{syntax}: {concepts:,} concepts in {len(LANGUAGES)} languages, {total:,} triples, "
        f"{size:,.0f} MB, {used.clock:.1f} s by the clock; {used.said.strip()}"
    )


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Return a case for each syntax; a quick run uses a tenth of the concepts."""
    concepts = asked.concepts // (10 if asked.quick else 1)
    return {name: partial(case, concepts, name, asked.folder) for name in SYNTAX}


if __name__ == "__main__":
    run_script(__file__)
