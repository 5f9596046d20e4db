"""From text to thesaurus: count, cluster, save; `build`, and `run`, which tells more."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeAlias

from roget import catalogue
from roget._version import __version__
from roget.core.counts import Counts
from roget.core.counts.files import is_counts
from roget.core.store import clear_errors, write_atomic
from roget.data import is_sample
from roget.errors import InputError, UnknownName
from roget.learn.counting import count as counting
from roget.learn.counting.inputs import plan, sources_of
from roget.learn.counting.options import Options, cuts_of, recipe_of
from roget.learn.counting.work import Progress as Reading
from roget.learn.opening import open_counts
from roget.learn.thesaurus import Edit, Thesaurus
from roget.learn.thesaurus import files as thesaurus_files
from roget.learn.trial import trial

Clustering: TypeAlias = Callable[[dict[str, Any]], None]

AUTO = "auto"
TOP = 5000
MIN_COUNT = 5

_READY = ("min_count", "min_context", "min_pair", "transpose")
"""What can be asked of counts that are there already."""

_HOW = ("processes", "memory", "engine", "scheduler")
"""What is no matter to the result."""


@dataclass(frozen=True)
class Plan:
    """How a thesaurus is made of counts; see `build`."""

    method: str = "soft"
    clusters: int | str | None = AUTO
    beta: float | None = None
    top: int | None = TOP
    seed: int | None = 0
    """None draws one, so that the next run cannot go on from where this one stopped."""
    heldout: bool = True
    """Whether classes are tried on tokens held out, once they are found."""

    def __post_init__(self) -> None:
        known = catalogue.names("clusterers")
        if self.method not in known:
            raise UnknownName("method", self.method, known)
        if self.beta is not None:
            catalogue.load("clusterers", self.method).make(beta=self.beta)  # or an error, at once
        if self.top is not None and self.top < 1:
            raise InputError(f"top {self.top}: expected 1 or more")
        if self.n_clusters is not None and self.n_clusters < 1:
            raise InputError(f"{self.clusters} clusters: expected 1 or more, or {AUTO}")

    @property
    def n_clusters(self) -> int | None:
        """How many clusters are asked for; None if that is to be found out."""
        if self.clusters in (None, AUTO):
            return None
        try:
            return int(self.clusters)
        except (TypeError, ValueError):
            raise InputError(
                f"clusters {self.clusters!r}: expected a whole number, or {AUTO}"
            ) from None


@dataclass(frozen=True)
class Built:
    """A thesaurus, and what there is to tell about its making."""

    thesaurus: Thesaurus
    notes: tuple[str, ...]
    interrupted: bool = False
    """Whether clustering was stopped; what it had found is in the thesaurus."""
    saved: bool = False
    """Whether the thesaurus is in its folder; what Ctrl-C leaves never replaces another one."""


def build(
    inputs: counting.Inputs,
    *,
    output: str | os.PathLike[str] | None = None,
    method: str = "soft",
    clusters: int | str | None = AUTO,
    beta: float | None = None,
    top: int | None = TOP,
    random_state: int | None = 0,
    heldout: bool = True,
    progress: Clustering | None = None,
    **options: Any,
) -> Thesaurus:
    """Build a thesaurus of the words in some files, and keep it in the folder `output` if named.

    Inputs: whatever `roget.count` reads, or counts folders, or the names of bundled samples
    ("sample" is verb_object). `options` are those of `roget.count`; words seen less than
    `min_count` times (default 5) are left out, and of the others the `top` most frequent taken.
    Unless `columns` or `transpose` say otherwise, the words of a table are in its first column; or
    in its second, where header or name are of the kind of verb_object.tsv.

    `method` is "soft": deterministic annealing into so many `clusters`, or as many as held-out
    counts ask for ("auto"); a larger `beta` makes memberships sharper; or "symmetric", the same
    with clusters of associations. Or "mdl" or "comdl": as
    many as shorten the description of the counts, by splits of words alone or with classes of
    contexts as well. With the same `random_state`, the result is the same. With `heldout` the
    classes are then learnt again from part of the tokens, and tried on the rest: the provenance's
    "heldout" has the bits per token, by word, by class and by both.

    With an output, a run that was stopped goes on when it is called again, and edits of a thesaurus
    that is there already are made again. Ctrl-C while words are clustered ends that early, with the
    classes found so far; they are saved only if no thesaurus is there yet. `progress` is called
    with {"n_clusters", "fraction"} and "beta" and "free_energy", or "description_length".
    """
    unknown = options.keys() - {field.name for field in fields(Options)}
    if unknown:
        raise UnknownName("option", min(unknown), [field.name for field in fields(Options)])
    for name in ("stop", "vocabulary", "contexts"):
        if not isinstance(options.get(name), str | os.PathLike | None):
            options[name] = tuple(options[name])  # looked at twice
    asked = Options(**{"min_count": MIN_COUNT, **options})
    wanted = Plan(method, clusters, beta, top, random_state, heldout)
    return run(inputs, output, asked, wanted, clustering=progress).thesaurus


def run(
    inputs: counting.Inputs,
    output: str | os.PathLike[str] | None,
    options: Options,
    wanted: Plan,
    *,
    reading: Reading | None = None,
    clustering: Clustering | None = None,
) -> Built:
    """Build a thesaurus; OUTPUT.partial keeps what is done until all of it is."""
    listed = [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs)
    if output is None:
        with tempfile.TemporaryDirectory(prefix="roget.") as folder:
            return _built(listed, Path(folder), options, wanted, reading, clustering)
    target = checked(Path(output))
    partial = target.with_name(f"{target.name}.partial")
    begun_before = partial.is_dir()
    with clear_errors(target):
        partial.mkdir(exist_ok=True)
    try:
        built = _built(listed, partial, options, wanted, reading, clustering)
        if built.interrupted and target.exists():
            warnings.warn(
                f"{target} stays as it was: run the same command again to go on ({partial} keeps "
                "what is done)",
                stacklevel=2,
            )
            return built
        built = replace(_edited(built, target), saved=True)
        built.thesaurus.save(target)
    except BaseException as error:
        halfway = (partial / "counts.partial").is_dir()  # has told so itself
        mistake = isinstance(error, InputError) and not halfway and not begun_before
        if mistake or not any(partial.iterdir()):
            shutil.rmtree(partial, ignore_errors=True)
        elif not halfway and not isinstance(error, InputError):
            error.add_note(f"run the same command again to go on ({partial} keeps what is done)")
        raise
    if not built.interrupted:
        shutil.rmtree(partial, ignore_errors=True)
    return built


def checked(target: Path) -> Path:
    """The output, once it is sure that it can be written: better now than after hours."""
    place = target.resolve()
    if not place.parent.is_dir():
        raise InputError(f"cannot write {target}: there is no folder {place.parent}")
    if place.is_file():
        raise InputError(f"cannot write {target}: it is a file; expected {thesaurus_files.KIND}")
    if place.is_dir() and not thesaurus_files.is_thesaurus(place):
        raise InputError(f"cannot write {target}: the folder is there and holds something else")
    _edits(target)
    return target


def _edits(target: Path) -> tuple[Edit, ...]:
    """What people changed in the thesaurus that is to be replaced."""
    if not target.is_dir():
        return ()
    try:
        return thesaurus_files.read_edits(target)
    except InputError as error:
        raise InputError(
            f"{error}. The edits made there would be lost: mend it, or name another output"
        ) from None


def _edited(built: Built, target: Path) -> Built:
    """The same with the edits of the thesaurus that it replaces, as far as they make sense."""
    edits = _edits(target)
    if not edits:
        return built
    thesaurus, problems, doubts = built.thesaurus.replayed(edits)
    told = f"{len(edits) - len(problems):,} of {len(edits):,} edits were made again"
    unsure = (f"made again, but look whether it is right: {doubt}" for doubt in doubts)
    waiting = (f"waiting for the next time: {problem}" for problem in problems)
    return replace(built, thesaurus=thesaurus, notes=(*built.notes, told, *unsure, *waiting))


def _built(
    inputs: Sequence[str | os.PathLike[str]],
    folder: Path,
    options: Options,
    wanted: Plan,
    reading: Reading | None,
    clustering: Clustering | None,
) -> Built:
    ready = _ready(inputs, options)
    counts, notes = _counted(inputs, folder, options, reading) if ready is None else (ready, ())
    counts, more = _chosen(counts, wanted, options)
    model = _clusterer(wanted, folder, counts, clustering).fit(counts)
    thesaurus = Thesaurus.from_clustering(counts, model)
    if wanted.heldout and not model.interrupted_:
        thesaurus.provenance["heldout"] = trial(counts, model, wanted.seed, clustering)
    return Built(thesaurus, (*notes, *more, *model.notes_), model.interrupted_)


def _clusterer(wanted: Plan, folder: Path, counts: Counts, progress: Clustering | None) -> Any:
    # Named by the run, so that one with other counts or options begins anew.
    asked_for = asdict(replace(wanted, heldout=True))
    digest = hashlib.sha256(json.dumps([__version__, asked_for, counts.shape]).encode())
    for array in (counts.matrix.indptr, counts.matrix.indices, counts.matrix.data):
        digest.update(array.tobytes())
    name = f"{wanted.method}-{digest.hexdigest()[:16]}"
    for other in folder.glob(f"{wanted.method}-*"):
        if other.name != name:
            shutil.rmtree(other, ignore_errors=True)
    return catalogue.load("clusterers", wanted.method).make(
        wanted.n_clusters,
        beta=wanted.beta,
        random_state=wanted.seed,
        checkpoint=None if wanted.seed is None else folder / name,
        progress=progress,
    )


def _chosen(counts: Counts, wanted: Plan, options: Options) -> tuple[Counts, tuple[str, ...]]:
    """The words to be clustered: the most frequent, as far as contexts link them."""
    notes = []
    if not counts.entries:
        raise InputError(
            f"no word is seen {options.min_count} times: lower --min-count, or count more text"
        )
    found = len(counts)
    if wanted.top is not None and found > wanted.top:
        counts = counts.top(wanted.top)
        notes.append(f"the {wanted.top:,} most frequent of {found:,} words (--top)")
    linked = counts.largest_component()
    if len(linked) < len(counts):
        lost = len(counts) - len(linked)
        words = "1 word shares" if lost == 1 else f"{lost:,} words share"
        notes.append(f"{words} no context with the others, however indirectly: left out")
    return linked, tuple(notes)


def _ready(inputs: Sequence[str | os.PathLike[str]], options: Options) -> Counts | None:
    """The counts that are there already, added up; None if inputs have to be counted."""
    found = [_existing(os.fspath(given)) for given in inputs]
    if not any(one is not None for one in found):
        return None
    tables = [one for one in found if one is not None]
    if len(tables) < len(inputs):
        raise InputError("inputs of two kinds: counts that are there, and what is to be counted")
    plain = Options()
    for field in fields(Options):
        asked = getattr(options, field.name)
        if field.name not in (*_READY, *_HOW) and asked != getattr(plain, field.name):
            raise InputError(f"{field.name} {asked}: {os.fspath(inputs[0])} is counted already")
    counts = tables[0].merge(*tables[1:]) if len(tables) > 1 else tables[0]
    if options.transpose:
        counts = counts.T
    return counts.min_count(options.min_count, options.min_context, options.min_pair)


def _existing(name: str) -> Counts | None:
    return open_counts(name)[0] if is_counts(Path(name)) or is_sample(name) else None


def _counted(
    inputs: Sequence[str | os.PathLike[str]],
    folder: Path,
    options: Options,
    progress: Reading | None,
) -> tuple[Counts, tuple[str, ...]]:
    """Count, unless that was done by a run that was stopped later."""
    place, mark = folder / "counts", folder / "counts.key"
    key = _key(inputs, options)
    if is_counts(place) and mark.is_file() and mark.read_text() == key:
        return Counts.read(place), ("counted before",)
    done = counting.run(inputs, place, options, progress=progress)
    write_atomic(mark, key)
    return Counts.read(place), done.notes


def _key(inputs: Sequence[str | os.PathLike[str]], options: Options) -> str:
    """A name for what is counted and how; another one each time for standard input."""
    sources, reader = sources_of(
        inputs, options.reader, options.encoding, tabular=options.columns is not None
    )
    recipe, _ = recipe_of(options, reader)
    cuts = asdict(cuts_of(options, recipe))
    said = [task.key for task in plan(sources, recipe)]
    said += [f"{name}={sorted(v) if isinstance(v, frozenset) else v}" for name, v in cuts.items()]
    return hashlib.sha256("\n".join(said).encode("utf-8", "surrogatepass")).hexdigest()
