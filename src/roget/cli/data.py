"""`roget data list|path|fetch`."""

from __future__ import annotations

from typing import Annotated

import typer

from roget.cli.command import command, group
from roget.cli.shared import AsJson, Format, Output, bar, deliver, tell

app = group("data", "Bundled samples, and data sets of others fetched by name.")

Name = Annotated[str, typer.Argument(help="A name of `roget data list`.")]


@command(app, "list")
def list_data(as_json: AsJson = False, format: Format = None, output: Output = None) -> None:
    """List the samples that come with roget and the sets it can fetch, with their licences."""
    from roget.report.listing import report_data

    deliver(report_data(), "json" if as_json else format, output)


@app.command("path")
def path(name: Name) -> None:
    """Print where a sample or a fetched set lies."""
    from roget.data import SAMPLES, data_set, sample_path

    print(sample_path(name) if name in SAMPLES else data_set(name).path)


@app.command("fetch")
def fetch(name: Name) -> None:
    """Download a set, check it against its hash, unpack it, and print its folder."""
    from roget.data import SAMPLES, data_set, sample_path

    if name in SAMPLES:
        tell(f"{name} comes with roget")
        print(sample_path(name))
        return
    wanted = data_set(name)
    tell(f"{name}: {wanted.megabytes:g} MB, {wanted.licence}")
    with bar("fetching", "bytes") as progress:
        print(wanted.fetch(progress))
