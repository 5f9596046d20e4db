"""Load counts and thesauri from folders, files, taxonomies or bundled samples."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from roget import data
from roget.catalogue import suffixes
from roget.core.counts import Counts, formats
from roget.core.counts.files import is_counts
from roget.core.io.address import is_remote
from roget.core.io.problems import plural
from roget.core.io.source import FORMATS, Source
from roget.core.io.table import Columns, split_columns
from roget.core.progress import Report
from roget.core.types import PathLike
from roget.errors import InputError, Notice
from roget.learn.counting.options import CountOptions as Counting
from roget.learn.representation.background import KEY, find_bundled, reopen_background
from roget.learn.taxonomy import kind_of_folder, read, taxonomy_of
from roget.learn.taxonomy.taxonomy import Taxonomy
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.files import is_thesaurus
from roget.learn.usage.shift import SET_ASIDE
from roget.learn.usage.variants import unite

BACKGROUND = "background"
"""Input name that stands for the background counts of the other input."""


def open_thesaurus(
    path: PathLike, language: str | None = None, progress: Report | None = None
) -> Thesaurus:
    """Load a thesaurus folder, or a taxonomy (SKOS, child–parent TSV, WordNet).

    `language` selects the labels of a SKOS file with several languages.
    """
    place = Path(path)
    # Path.is_dir raises an error for names that are too long. os.path.isdir returns False.
    if is_thesaurus(place) or (os.path.isdir(path) and kind_of_folder(place) is None):
        return Thesaurus.load(place)
    return read(path, language=language, progress=progress)


def open_counted(path: PathLike) -> Thesaurus:
    """Load a thesaurus that has counts. Raise an error for a taxonomy, which has no contexts."""
    thesaurus = open_thesaurus(path)
    if "imported" in thesaurus.provenance:
        raise _no_contexts(path)
    return thesaurus


def open_classes(path: PathLike) -> Thesaurus | Taxonomy:
    """Load a thesaurus folder, or the nouns of a taxonomy with all their parents."""
    if is_thesaurus(Path(path)):
        return Thesaurus.load(path)
    return taxonomy_of(path, part="noun")


def open_counts(
    name: PathLike, columns: Columns = None, *, sample: str = "nouns"
) -> tuple[Counts, tuple[str, ...]]:
    """Load counts by name, with notes on how they were read.

    The name is a counts folder, a thesaurus, a table or a matrix. If there is no such file, it may
    be the name of a bundled sample. The name "sample" stands for the value of `sample`.

    >>> open_counts("verb_object")[0]
    Counts: 9,994 words × 3,609 contexts, 66,626 entries, 110,270 tokens
    """
    text = os.fspath(name)
    if data.is_sample(text):
        if columns is not None:
            raise InputError(
                f"'columns' ({','.join(split_columns(columns))}) does not apply: the sample "
                f"{name} is not a table",
                code="conflicting-options",
            )
        found = data.sample(sample if text == "sample" else text)
        if not isinstance(found, Counts):
            raise InputError(
                f"{name} contains quadruples; expected counts", code="unsupported-format"
            )
        return found, ()
    if not os.path.exists(name) and not is_remote(text):
        known = ", ".join(one for one in data.SAMPLES if one != data.QUADRUPLES)
        raise InputError(
            f"{name}: no such file or folder; expected a counts folder, a file of counts (.tsv, "
            f".npz, …) or a bundled sample ({known})",
            code="file-not-found",
        )
    if columns is None and is_thesaurus(Path(name)):
        return open_counted(name).counts, ()
    if os.path.isfile(name) and is_taxonomy(name):
        raise _no_contexts(name)
    if _is_text(text):
        quoted, to = shlex.quote(text), shlex.quote(f"{Path(text).name.partition('.')[0]}.counts")
        raise InputError(
            f"{name} is text, not counts; count it first: roget count {quoted} -o {to}",
            code="unsupported-format",
        )
    return formats.read(name, columns, Counts)


def _is_text(name: str) -> bool:
    """Return True if a file is running text rather than a table or matrix."""
    return (
        (os.path.isfile(name) or is_remote(name))
        and Source(name).suffix not in FORMATS
        and _find_texts(name, Counting()) is not None
    )


def _no_contexts(name: PathLike) -> InputError:
    """Return the error for a taxonomy that is used as counts."""
    return InputError(
        f"{name} is a taxonomy, which has no contexts; use a thesaurus or counts "
        "(roget build, roget count)",
        code="unsupported-format",
    )


def _open_whole(path: PathLike) -> tuple[Counts, tuple[str, ...]]:
    """Load all counts of a thesaurus, including counts of rare words, for a comparison.

    The provenance may list words whose counts were not stored.
    """
    base = open_counted(path).base
    counts = base.counts
    whole = counts if base.spare is None else counts.merge(base.spare)
    known = {*whole.words.tolist()}
    lost = [word for word in base.unsure if word not in known]
    whole.evidence = counts.evidence
    whole.relations = counts.relations
    whole.provenance = {**counts.provenance, SET_ASIDE: lost}
    if cuts := counts.provenance.get("cuts"):
        # All words that are at least as frequent as the rarest stored word are stored.
        least = min(cuts.get("min_count") or 1, whole.word_totals.min().item())
        whole.provenance["cuts"] = {**cuts, "min_count": least}
    if base.spare is not None and not lost:
        return whole, ()
    unsure = f"; {plural(len(lost), 'uncertain word')} not listed as new" if lost else ""
    return whole, (
        Notice(
            f"{path}: the counts of some rare or uncertain words were not stored, so "
            "totals are too low, and some words may wrongly appear to be "
            f"missing{unsure}",
            code="incomplete-counts",
        ),
    )


@contextmanager
def open_pair(
    old: PathLike,
    new: PathLike,
    options: Counting | None = None,
    progress: Report | None = None,
    evidence: int = 0,
) -> Iterator[tuple[Counts, Counts, tuple[str, ...]]]:
    """Load or count the two corpora of a comparison, and yield them with notes.

    Both texts are counted with settings that are inferred from both texts together. Otherwise, a
    lemma that is repaired in only one text would look like a change. Temporary counts are removed
    at the end of the block.

    Parameters
    ----------
    old, new
        Texts, counts or thesauri. "background" stands for the background of the other input.
    options
        Options for counting texts. `min_count` has no effect here.
    progress
        Called with the number of bytes read.
    evidence
        Minimum number of example sentences kept per pair, if texts are counted.
    """
    # Import only here, because existing counts do not need this compiled code.
    from roget.learn.counting import count as counting
    from roget.learn.counting.plan import plan_tasks, refuse_options

    counting_options = Counting(**{**vars(options or Counting()), "min_count": 1})
    names = [os.fspath(name) for name in (old, new)]
    borrowed = [name == BACKGROUND and not os.path.exists(name) for name in names]
    found = [
        None if is_borrowed else _find_texts(name, counting_options)
        for name, is_borrowed in zip(names, borrowed, strict=True)
    ]
    texts = [one for one in found if one is not None]
    notes: list[str] = []
    more_notes: list[str] = []
    opened: list[Counts] = []
    with tempfile.TemporaryDirectory(prefix="roget.") as folder:
        if texts:
            counting_options = replace(
                counting_options, evidence=max(counting_options.evidence, evidence)
            )
            planned = counting.plan_inputs(
                [source.path for one in texts for source in one], counting_options
            )
            notes += planned.notes
        for name, one in zip(names, found, strict=True):
            if one is not None:
                plan = replace(planned, sources=one, tasks=plan_tasks(one, planned.recipe))
                place = Path(folder) / str(len(opened))
                done = counting.run(plan, place, counting_options, keep=False, progress=progress)
                notes += [note for note in done.notes if note not in notes]
                opened.append(Counts.read(place))
                continue
            if not texts:
                refuse_options(counting_options, name, ("columns",))
            more: tuple[str, ...] = ()
            if borrowed[len(opened)]:
                counts = open_background_of(names[1 - len(opened)])
            elif is_thesaurus(Path(name)):
                counts, more = _open_whole(name)
            else:
                # Columns apply to tables, not to folders or samples.
                whole = os.path.isdir(name) or data.is_sample(name)
                counts, more = open_counts(name, None if whole else counting_options.columns)
            more_notes += more
            opened.append(counts)
        if any(borrowed):
            # A background was written and tagged by others, so unite spellings and lemmas.
            own = borrowed.index(False)
            opened[1 - own], opened[own], united = unite(opened[1 - own], opened[own])
            more_notes += united
        yield opened[0], opened[1], (*notes, *more_notes)


def open_background_of(name: PathLike) -> Counts:
    """Return the background of a thesaurus, or the bundled one for the language of counts."""
    if os.fspath(name) == BACKGROUND:
        raise InputError("pass a thesaurus or counts to compare", code="missing-option")
    if is_thesaurus(Path(name)):
        thesaurus = Thesaurus.load(name)
        if known := reopen_background(thesaurus.base.provenance.get(KEY)):
            return known.counts
        counts = thesaurus.counts
    elif is_counts(Path(name)):
        counts = Counts.read(name)
    else:
        raise InputError(
            f"{name} is not a thesaurus or counts, so it has no background; run roget "
            "build or roget count first",
            code="unsupported-format",
        )
    found = find_bundled(counts)
    if found is None:
        raise InputError(
            f"{name} was built without a background, and none is bundled for its "
            "language and relations",
            code="no-background",
        )
    return found.counts


def _find_texts(name: str, counting_options: Counting) -> list[Source] | None:
    """Return the files denoted by a name if they contain running text, otherwise None."""
    if data.is_sample(name) or is_counts(Path(name)) or is_thesaurus(Path(name)):
        return None
    if (os.path.isfile(name) or is_remote(name)) and Source(name).suffix in (".npz", ".mtx"):
        return None
    from roget.learn.counting.inspect import find_sources
    from roget.learn.counting.recipe import TABULAR

    sources, reader = find_sources(
        [name],
        counting_options.reader,
        counting_options.encoding,
        tabular=counting_options.columns is not None,
    )
    return None if reader in TABULAR else sources


def is_taxonomy(path: PathLike) -> bool:
    """Return True for a thesaurus folder, a SKOS file or a WordNet, and False for a table."""
    place = Path(path)
    named = os.fspath(path).startswith("wn:") and not place.exists()
    # Tables (tsv) and linkage arrays may be counts rather than taxonomies.
    kind = suffixes("taxonomies").get(Source(str(place)).suffix, "tsv")
    return named or place.is_dir() or kind not in ("tsv", "linkage")
