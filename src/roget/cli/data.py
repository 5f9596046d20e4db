"""The command `roget data list|path|fetch`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.command import command, group
from roget.cli.shared import AsJson, Format, Output, bar, deliver, print_notes

app = group("data", "List bundled samples and data sets, and fetch data sets by name.")

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="Name of a data set or sample, as listed by `roget data list`."
    ),
]


@command(app, "list")
def list_data(as_json: AsJson = False, format: Format = None, output: Output = None) -> None:
    """List the bundled samples and the data sets, with their licences."""
    from roget.report.listing import report_data

    deliver(report_data(), "json" if as_json else format, output)


@app.command("path")
def path(name: Name) -> None:
    """Print the path of a sample or a downloaded data set."""
    from roget.data import SAMPLES, data_set, sample_path

    print(sample_path(name) if name in SAMPLES else data_set(name).path)


@app.command("fetch")
def fetch(name: Name) -> None:
    """Download a data set and print the path of its folder.

    The hash of the download is verified.
    """
    from roget.data import SAMPLES, data_set, sample_path

    if name in SAMPLES:
        print_notes(f"{name} is bundled with roget")
        print(sample_path(name))
        return
    wanted = data_set(name)
    print_notes(f"{name}: {wanted.megabytes:g} MB, {wanted.licence}")
    with bar("fetching", "bytes") as progress:
        print(wanted.fetch(progress))
