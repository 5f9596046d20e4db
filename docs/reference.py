"""Generate the reference pages from the catalogue, the commands and the docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import roget
from roget import catalogue
from roget.report.listing import describe

NEEDS = {
    "entropies": "computed with each requested entropy estimator",
    "cover": "for overlapping clusters",
    "degrees": "for weighted labels",
    "tree": "for trees",
}
"""What some measures need that users choose or pass."""
ABOUT = {
    "measures": "`roget score --measure NAME`, `roget.measure(NAME, gold, system)`; "
    "[each in full](../measures.md).",
    "entropies": "`roget score --entropy NAME`, `roget.entropy(counts, NAME)`; "
    "[which one to choose](../entropies.md), [how they work](../scoring.md#entropy-estimators).",
    "renderers": "`--format NAME` of every command that prints a report; "
    "inferred from the suffix of `-o FILE`.",
    "reports": "How results are shown in notebooks and by `print`.",
    "label formats": "`--labels NAME`, if the format cannot be inferred; [examples](../labels.md).",
    "readers": "`roget count --reader NAME`, `roget build --reader NAME`; "
    "[inputs](../counting.md#what-can-be-read).",
    "languages": "`--tagger hanta --model NAME`; [plain text](../text.md).",
    "relations": "`roget count --relation NAME`; [relations and patterns]"
    "(../counting.md#relations).",
    "clusterers": "`roget build --method NAME`; in Python, [estimators](estimators.md).",
    "models": "`roget heldout --model NAME`, `roget decide --model NAME`, "
    "`roget.ClassModel(NAME)`; [class models](../classmodel.md).",
    "taxonomies": "Existing taxonomies, accepted wherever a thesaurus is read; "
    "[imports](../exports.md#taxonomies-that-people-made).",
    "exporters": "`roget export --to NAME`; [exports](../exports.md).",
    "engines": "`--engine NAME` of `count`, `build`, `score` and `compare`.",
    "reproductions": "`roget reproduce NAME`.",
}
GROUPS: dict[str, tuple[str, Callable[[str, Any], bool]]] = {
    "scoring.md": (
        "Python: scoring",
        lambda module, thing: (
            module.startswith(("roget.scoring", "roget.protocols", "roget.web"))
            and not inspect.isclass(thing)
        ),
    ),
    "results.md": (
        "Python: results of scoring",
        lambda module, thing: module.startswith("roget.scoring"),
    ),
    "estimators.md": (
        "Python: estimators",
        lambda module, thing: module.startswith("roget.learn.clustering"),
    ),
    "errors.md": ("Python: errors", lambda module, thing: module == "roget.errors"),
    "learning.md": ("Python: counts and thesauri", lambda module, thing: True),
}
"""Pages of public names: each name is on the first page whose rule takes it."""


def make_measures() -> str:
    """One section per measure, from what each declares of itself."""
    parts = [
        "# Measures\n\nThis page describes all measures. To choose one, read [which measure to "
        "report](guide.md). Pass the name to `-m`, with parameters in brackets:\n\n"
        '    roget score gold.tsv system.tsv -m "v(beta=0.5)" -m ami\n    roget list measures',
        "- C are the gold classes, K the clusters of the system, and N is the number of items.\n"
        "- H is an entropy and I mutual information, in nats "
        "([glossary](glossary.md#entropy-and-information)).\n"
        "- A *symmetric* measure has the same value if gold and system are exchanged.\n"
        "- *Chance level* is the mean score of random clusterings with the same cluster sizes.\n"
        "- A *plug-in* value is computed from observed frequencies, without a correction.",
    ]
    for entry in describe("measures"):
        facts = [
            f"{entry['better']} is better",
            f"range {_range(entry)}",
            "symmetric" if entry["symmetric"] else "not symmetric",
            *(NEEDS[need] for need in entry["needs"] if need in NEEDS),
        ]
        if entry["parameters"]:
            pairs = entry["parameters"].items()
            given = ", ".join(f"{key}={_plain(value)}" for key, value in pairs)
            facts.append(f"parameters and their defaults: `{entry['name']}({given})`")
        if entry["also"]:
            facts.append(f"aliases: {', '.join(entry['also'])}")
        about = "; ".join(facts)
        parts.append(f"## {entry['name']}\n\n{entry['about']}\n\n*{about}.* {entry['reference']}.")
    return "\n\n".join(parts + _list_laws()) + "\n"


def _list_laws() -> list[str]:
    """Return the table of measures and properties."""
    from roget.scoring.measures.laws import list_properties

    rows = []
    for name in catalogue.names("measures"):
        if name not in catalogue.MEASURES:
            continue
        own = list_properties(name)
        marks = ["yes" if held else "" for held in (own.symmetric, own.metric)]
        marks.append("" if own.baseline is None else f"{own.baseline:g}")
        marks += ["yes" if held else "" for held in (own.monotone, own.linear)]
        rows.append((f"[`{name}`](#{name})", *marks))
    about = (
        "The tests check every property in this table. An empty cell means that the property is "
        "not claimed.\n\n"
        "- *Metric*: the triangle inequality holds.\n"
        "- *Constant baseline*: the chance level, if it does not depend on the cluster sizes.\n"
        "- *Monotone*: the score never gets worse if two clusters within one class are merged, or "
        "if a cluster is split without splitting a class.\n"
        "- *Linear*: the running time is linear in the number of non-empty cells."
    )
    titles = ("measure", "symmetric", "metric", "constant baseline", "monotone", "linear")
    return ["## Properties", about, _table(titles, rows)]


def _range(entry: dict[str, Any]) -> str:
    bounds = (entry["low"], "−∞"), (entry["high"], "∞")
    return " to ".join(infinite if value is None else f"{value:g}" for value, infinite in bounds)


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def make_reference() -> dict[str, str]:
    """Return the generated reference pages by file name."""
    pages = {
        "commands.md": make_commands(),
        "catalogue.md": make_catalogue(),
        "codes.md": make_codes(),
    }
    return {**pages, **make_api()}


def make_commands() -> str:
    """Return the page of commands with their arguments and options."""
    parts = [
        "# Commands\n\n`roget COMMAND --help` prints the same text. An option that several "
        "commands share means the same in all of them. In Python it is a parameter of the "
        "function of the same name."
    ]
    for names, command, context in walk_commands():
        parts += [f"## {' '.join(names)}", _escape(inspect.cleandoc(command.help or ""))]
        usage = " ".join(command.collect_usage_pieces(context))
        parts.append(f"```text\n{' '.join(names)} {usage}\n```")
        sections: dict[str, list[tuple[str, str]]] = {}
        for one in command.get_params(context):
            record = one.get_help_record(context)
            if record is not None:
                plain = "Arguments" if one.param_type_name == "argument" else "Options"
                title = getattr(one, "rich_help_panel", None) or plain
                sections.setdefault(title, []).append(record)
        for title, rows in sections.items():
            parts += [
                f"**{title}**",
                _table(("", ""), _flags(rows)),
            ]
    return "\n\n".join(parts) + "\n"


def _flags(rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return flags and help texts; long lists of choices may wrap after each choice."""
    return [(f"`{flag}`".replace("|", "|\u200b"), text) for flag, text in rows]


def walk_commands() -> Iterator[tuple[list[str], Any, Any]]:
    """Yield the name of every command as words, the command and its context."""
    import typer

    from roget.cli import app

    def walk(command: Any, names: list[str], above: Any) -> Iterator[tuple[list[str], Any, Any]]:
        context = command.context_class(command, info_name=names[-1], parent=above)
        below = getattr(command, "commands", None)
        if below is None:
            yield names, command, context
        for name, one in (below or {}).items():
            yield from walk(one, [*names, name], context)

    return walk(typer.main.get_command(app), ["roget"], None)


def make_catalogue() -> str:
    """Return the catalogue page: all named parts, by kind."""
    parts = [
        "# Catalogue\n\nEverything that can be chosen by name. `roget list KIND` prints the same "
        "and includes installed plug-ins. [How to write a plug-in](../plugins.md)."
    ]
    for kind in catalogue.KINDS:
        parts += [f"## {kind.capitalize()}", ABOUT.get(kind, "")]
        parts.append(_table(*_columns(kind, describe(kind))))
    return "\n\n".join(part for part in parts if part) + "\n"


def make_codes() -> str:
    """Return the page of error and warning codes."""
    from roget.codes import CODES

    parts = [
        "# Codes\n\nEvery error, warning and note ends with a code in brackets. "
        "`roget explain CODE` prints the same text. [Codes are stable](../stability.md#codes)."
    ]
    for code, (meaning, reason, remedy) in CODES.items():
        parts += [
            f"## {code}",
            _escape(f"{meaning} {reason}"),
            f"**What to do:** {_escape(remedy)}",
        ]
    return "\n\n".join(parts) + "\n"


def _columns(kind: str, entries: list[dict[str, Any]]) -> tuple[tuple[str, ...], list[Any]]:
    if kind == "measures":
        head = "name", "better", "range", "meaning"
        return head, [
            (
                f"[`{one['name']}`](../measures.md#{one['name']})",
                {"higher": "↑", "lower": "↓"}[one["better"]],
                _range(one),
                one["summary"],
            )
            for one in entries
        ]
    if kind == "entropies":
        return ("name", "meaning", "assumes", "reference"), [
            (f"`{one['name']}`", one["summary"], one["assumes"], one["reference"])
            for one in entries
        ]
    return ("name", "meaning"), [(f"`{one['name']}`", one["summary"]) for one in entries]


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for row in rows:
        cells = [_escape(" ".join(cell.split()), r"([<*|])") for cell in row]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def make_api() -> dict[str, str]:
    """Return the pages of public names with their docstrings."""
    parts: dict[str, list[str]] = {page: [f"# {title}"] for page, (title, _) in GROUPS.items()}
    for name in roget.__all__:
        if name.startswith("__"):
            continue
        thing = getattr(roget, name)
        module = roget._PUBLIC[name].partition(":")[0]
        page = next(page for page, (_, takes) in GROUPS.items() if takes(module, thing))
        parts[page].append(_document(f"roget.{name}", thing))
    return {page: "\n\n".join(texts) + "\n" for page, texts in sorted(parts.items())}


def _document(name: str, thing: Any) -> str:
    """Return the section of a public name, with its public methods or functions."""
    parts = [f"## {name}"]
    if inspect.ismodule(thing):
        parts.append(convert(inspect.getdoc(thing) or ""))
        for public in getattr(thing, "__all__", ()):
            one = getattr(thing, public)
            if inspect.isfunction(one):
                parts += [f"### {public}", _sign(f"{name}.{public}", one), convert(_doc(one))]
        return "\n\n".join(part for part in parts if part)
    failure = inspect.isclass(thing) and issubclass(thing, Exception)
    parts += ["" if failure else _sign(name, thing), convert(_doc(thing))]
    if inspect.isclass(thing) and not failure:
        for public, kind, member in _members(thing):
            label = "" if kind == "method" else f" *({kind})*"
            parts.append(f"### {public}{label} {{: #{name.lower()}.{public} }}")
            if kind != "property":
                parts.append(_sign(public, member))
            parts.append(convert(_doc(member)))
    return "\n\n".join(part for part in parts if part)


def _doc(thing: Any) -> str:
    return inspect.getdoc(thing) or ""


def _members(thing: type) -> Iterator[tuple[str, str, Any]]:
    """Yield the public members of roget's own classes that have a docstring, in order."""
    seen = set()
    for base in thing.__mro__:
        if not base.__module__.startswith("roget"):
            continue
        for name, raw in vars(base).items():
            if name.startswith("_") or name in seen:
                continue
            seen.add(name)
            if isinstance(raw, classmethod | staticmethod) and _doc(raw.__func__):
                yield name, "class method", raw.__func__
            elif (isinstance(raw, property) or hasattr(raw, "attrname")) and _doc(raw):
                yield name, "property", raw
            elif inspect.isfunction(raw) and _doc(raw):
                yield name, "method", raw


def _sign(name: str, thing: Any) -> str:
    """Return a signature without types, on several lines if it is long."""
    try:
        signature = inspect.signature(thing)
    except ValueError:
        return ""
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for key, parameter in signature.parameters.items()
        if key not in ("self", "cls")
    ]
    text = str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))
    if len(name + text) > 88:
        parts = re.split(r", (?=[\w*/]+(?:=|,|\)|$))", text[1:-1])
        text = "(\n" + "".join(f"    {one},\n" for one in parts) + ")"
    return f"```python\n{name}{text}\n```"


SECTIONS = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
LISTED = {"Parameters", "Other Parameters", "Returns", "Yields", "Raises", "Attributes", "Warns"}


def convert(text: str) -> str:
    """Convert a numpydoc docstring to Markdown."""
    pieces = SECTIONS.split(text)
    parts = [_blocks(pieces[0])]
    for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
        parts.append(f"**{title}**")
        parts.append(_list(body) if title in LISTED else _blocks(body))
    return "\n\n".join(part for part in parts if part)


def _list(body: str) -> str:
    """Convert a numpydoc list of names, types and descriptions to Markdown."""
    items: list[tuple[str, list[str]]] = []
    for line in body.strip("\n").splitlines():
        if line.strip() and not line.startswith(" "):
            items.append((line, []))
        elif items:
            items[-1][1].append(line.strip())
    made = []
    for head, lines in items:
        name, colon, kind = head.partition(" : ")
        term = f"`{name.strip()}`" + (f" : *{_escape(kind)}*" if colon else "")
        meaning = _escape(" ".join(" ".join(lines).split()))
        made.append(f"- {term}" + (f"  \n    {meaning}" if meaning else ""))
    return "\n".join(made)


def _blocks(text: str) -> str:
    """Convert paragraphs to Markdown; examples and indented text become code."""
    made = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        if block.lstrip().startswith(">>>"):
            made.append(f"```pycon\n{inspect.cleandoc(block)}\n```")
        elif block.startswith("    "):
            made.append(f"```text\n{inspect.cleandoc(block)}\n```")
        elif block.strip():
            made.append(_escape(block))
    return "\n\n".join(made)


def _escape(text: str, signs: str = r"([<*])") -> str:
    """Escape `<` and `*` outside code spans."""
    pieces = re.split(r"(`[^`]*`)", text)
    pieces[::2] = [re.sub(signs, r"\\\1", piece) for piece in pieces[::2]]
    return "".join(pieces)
