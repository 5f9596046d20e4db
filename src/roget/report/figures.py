"""Matplotlib figures: common style, and output as SVG, PDF or PNG."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from io import BytesIO
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

from roget.catalogue import name_extra
from roget.core.store import check_file, new_file
from roget.core.types import PathLike
from roget.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from roget.core.tree import Tree

FORMATS = ("svg", "pdf", "png")
BLUE, ORANGE, GREY, INK = "#1c5d99", "#b4530a", "#8b939d", "#1b1e22"
SERIES = ((BLUE, "o"), (ORANGE, "s"), ("#2c7a4b", "^"), ("#7a4a9e", "D"))
_STYLE: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "text.parse_math": False,  # Names may contain dollar signs.
    "svg.fonttype": "none",  # Keep text in figures searchable and editable.
    "svg.hashsalt": "roget",  # Make files reproducible.
    "pdf.fonttype": 42,
}
_UNDATED: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
}


@contextmanager
def styled() -> Iterator[None]:
    """Apply the common style to figures created inside the `with` block."""
    with name_extra():
        from matplotlib import rc_context
    with rc_context(_STYLE):
        yield


def label_point(
    axes: Axes, text: str, place: tuple[float, float], offset: tuple[float, float], **how: Any
) -> None:
    """Write a small label next to a point. The offset is in typographic points."""
    axes.annotate(
        text, place, xytext=offset, textcoords="offset points", fontsize=7, color=INK, **how
    )


def place_nodes(tree: Tree) -> dict[int, float]:
    """Return the vertical positions of nodes, where parents are at the mean of their children."""
    leaves = [node for node in tree.walk() if not tree.children(node)]
    heights = {leaf: float(place) for place, leaf in enumerate(reversed(leaves))}
    for node in reversed(range(tree.n_nodes)):
        if children := tree.children(node):
            heights[node] = fmean(heights[child] for child in children)
    return heights


def set_log(axes: Axes, way: Literal["x", "y"], low: float, high: float) -> None:
    """Make an axis (x or y) logarithmic, with plain digits as tick labels."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    axes.set(**{f"{way}scale": "log"})
    axis = axes.xaxis if way == "x" else axes.yaxis
    # If the range exceeds a factor of 500, label only powers of ten.
    between = () if high > 500 * low else (2.0, 5.0)
    axis.set_major_locator(LogLocator(subs=(1.0, *between), numticks=20))
    axis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    axis.set_minor_formatter(NullFormatter())


def save_picture(figure: Figure, path: PathLike) -> None:
    """Write a figure atomically in the format of the file's suffix."""
    kind = check_format(path)
    with styled(), new_file(path) as draft:
        figure.savefig(draft, dpi=200, format=kind, metadata=_UNDATED[kind])


def save_pictures(figures: Iterable[tuple[str, Figure]], folder: PathLike) -> list[Path]:
    """Write named figures in every format, and return the paths."""
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; pass a folder for the figures", code="not-writable")
    written = []
    with styled():
        folder.mkdir(parents=True, exist_ok=True)
        for name, figure in figures:
            for kind in FORMATS:
                path = folder / f"{name}.{kind}"
                save_picture(figure, path)
                written.append(path)
    return written


def write_svg(figure: Figure) -> bytes:
    """Return a figure as SVG for HTML pages."""
    with styled(), BytesIO() as draft:
        figure.savefig(draft, format="svg", metadata=_UNDATED["svg"])
        return draft.getvalue()


def check_format(path: PathLike) -> str:
    """Return the image format of a file. Raise an error if it is unsupported or not writable."""
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        known = ", ".join(f".{one}" for one in FORMATS)
        raise InputError(
            f"{path}: unsupported image format; use {known}", code="unsupported-format"
        )
    check_file(path)
    with name_extra():
        import_module("matplotlib")
    return kind
