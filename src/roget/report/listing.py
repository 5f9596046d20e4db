"""Reports of `roget list`, `roget data list` and `roget reproduce`."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from roget import catalogue
from roget.core.options import Option
from roget.errors import InputError, UnknownName
from roget.report import Column, Report, ReportTable


def describe(kind: str) -> list[dict[str, Any]]:
    """Return a dictionary for each catalogue entry of a kind (measures, clusterers …), in order."""
    more = {"measures": _measure, "entropies": _estimator}.get(kind, lambda _: {})
    parts = []
    for name in catalogue.names(kind):
        part = catalogue.load(kind, name)
        # Measure instances and model recipes provide more information than their catalogue entries.
        if kind == "measures":
            part = part()
        elif kind == "models":
            from roget.learn.classmodel.recipes import recipe

            part = recipe(name)
        parts.append({"name": name, "summary": _summary(part), **more(part)})
    return parts


def _measure(measure: Any) -> dict[str, Any]:
    from roget.scoring.measures.laws import list_properties

    low, high = (None if math.isinf(bound) else bound for bound in measure.range)
    # Properties are known only for built-in measures.
    laws = list_properties(measure.name) if measure.name in catalogue.MEASURES else None
    return {
        "about": inspect.getdoc(measure) or "",
        "better": measure.direction,
        "low": low,
        "high": high,
        "best": measure.best,
        "symmetric": measure.symmetric,
        "metric": laws is not None and laws.metric,
        "baseline": None if laws is None else laws.baseline,
        "monotone": laws is not None and laws.monotone,
        "linear_cost": laws is not None and laws.linear,
        "needs": list(measure.needs),
        "parameters": {field.name: field.default for field in fields(measure)},
        "reference": measure.reference,
        "also": [
            f"{name} ({library})"
            for library, names in catalogue.FAMILIAR.items()
            for name, ours in names.items()
            if ours == measure.name
        ],
    }


def _estimator(estimator: Any) -> dict[str, Any]:
    return {
        "assumes": estimator.assumes,
        "joint support": "|C|·|K|" if estimator.joint_support == "product" else "cells seen",
        "reference": estimator.reference,
    }


def _summary(thing: Any) -> str:
    """Return the patterns or summary of a catalogue entry, or its docstring's first paragraph."""
    if isinstance(thing, tuple):
        return " ".join(thing)
    summary = thing if isinstance(thing, str) else getattr(thing, "summary", None)
    if summary is not None:
        return str(summary)
    first = (inspect.getdoc(thing) or "").split("\n\n")[0]
    return " ".join(first.split())


def report(kind: str | None) -> Report:
    """Report name, meaning and reference of each catalogue entry of a kind, or list all kinds."""
    if kind is None:
        known = {one.replace(" ", "-"): catalogue.names(one) for one in catalogue.KINDS}
        return listed("Kinds", [(one, ", ".join(names)) for one, names in known.items()], known)
    entries = describe(kind)
    return listed(kind.capitalize(), [(entry["name"], _line(entry)) for entry in entries], entries)


def _line(entry: dict[str, Any]) -> str:
    defaults = ", ".join(
        f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}"
        for key, value in entry.get("parameters", {}).items()
    )
    parts = [
        str(entry["summary"]),
        f"Assumes {entry['assumes']}." if "assumes" in entry else "",
        f"[{entry['reference']}]" if "reference" in entry else "",
        f"Parameters: {defaults}." if defaults else "",
        f"Aliases: {', '.join(entry['also'])}." if entry.get("also") else "",
    ]
    return " ".join(part for part in parts if part)


def report_clusterer(name: str) -> Report:
    """Report the parameters of a clusterer, which are set with `roget build --set NAME=VALUE`."""
    from roget.learn.clustering.options import method_options

    if name not in catalogue.names("clusterers"):
        raise UnknownName("clusterer", name, catalogue.names("clusterers"))
    return report_options(f"Parameters of {name}", list(method_options(name).values()))


def report_options(title: str, options: Sequence[Option]) -> Report:
    """Report the values, default and effect of each option."""
    columns = [
        Column("name", fit="keep"),
        Column("values"),
        Column("default"),
        Column("effect", share=1),
    ]
    rows = []
    for one in options:
        values = "|".join(one.known) or ("true|false" if one.type is bool else one.metavar)
        default = "" if one.default is None else str(one.default)
        rows.append([one.name, values, default, one.help])
    data = [{"name": one.name, "default": one.default, "help": one.help} for one in options]
    return Report(title, tables=[ReportTable(columns, rows)], data=data)


def listed(title: str, rows: Sequence[tuple[str, str]], data: Any) -> Report:
    """Return a report that lists names and their meanings."""
    columns = Column("name", fit="keep"), Column("meaning", share=1)
    return Report(title=title, tables=[ReportTable(columns, rows, headed=False)], data=data)


def report_data() -> Report:
    """Report name, content, state and licence of all samples and data sets."""
    from roget.data import SAMPLES, data_sets
    from roget.data.bundled import ATTRIBUTION

    entries: list[dict[str, Any]] = [
        {"name": name, "about": about, "licence": ATTRIBUTION, "here": True, "megabytes": None}
        for name, about in SAMPLES.items()
    ]
    for one in data_sets().values():
        facts = {"name": one.name, "about": one.about, "licence": one.licence}
        entries.append({**facts, "here": _is_here(one), "megabytes": one.megabytes})
    rows = []
    for entry in entries:
        if entry["megabytes"] is None:
            state = "bundled"
        elif entry["here"]:
            state = "downloaded"
        else:
            state = f"{entry['megabytes']:g} MB to download"
        rows.append((entry["name"], f"{entry['about']} ({state}; {entry['licence']})"))
    return listed("Data", rows, entries)


def _is_here(one: Any) -> bool:
    try:
        return bool(one.path)
    except InputError:
        return False
