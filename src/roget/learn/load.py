"""Opening: counts and thesauri from whatever holds them."""

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
from roget.core.io.problems import plural
from roget.core.io.source import FORMATS, Source, is_remote
from roget.core.io.table import Columns, split_columns
from roget.core.progress import Report
from roget.core.types import PathLike
from roget.errors import InputError
from roget.learn.counting.options import CountOptions as Counting
from roget.learn.shift import SET_ASIDE
from roget.learn.taxonomy import kind_of_folder, read, taxonomy_of
from roget.learn.taxonomy.taxonomy import Taxonomy
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.files import is_thesaurus


def open_thesaurus(
    path: PathLike, language: str | None = None, progress: Report | None = None
) -> Thesaurus:
    """The thesaurus of a folder of ours, or of a taxonomy: SKOS, child–parent TSV, WordNet.

    `language` picks the labels of a SKOS file that has several.
    """
    place = Path(path)
    # Not by the path itself, which raises for names that are too long.
    if is_thesaurus(place) or (os.path.isdir(path) and kind_of_folder(place) is None):
        return Thesaurus.load(place)
    return read(path, language=language, progress=progress)


def open_counted(path: PathLike) -> Thesaurus:
    """A thesaurus that was made of counts, not a taxonomy, whose classes stand for contexts."""
    thesaurus = open_thesaurus(path)
    if thesaurus.is_imported:
        raise _no_contexts(path)
    return thesaurus


def open_classes(path: PathLike) -> Thesaurus | Taxonomy:
    """The thesaurus of a folder of ours; of a taxonomy its nouns, with all their parents."""
    if is_thesaurus(Path(path)):
        return Thesaurus.load(path)
    return taxonomy_of(path, part="noun")


def open_counts(
    name: PathLike, columns: Columns = None, *, sample: str = "nouns"
) -> tuple[Counts, tuple[str, ...]]:
    """The counts that a name means, and what there is to tell of how they were read.

    A name is a counts folder, a thesaurus, which keeps those it was made of, a table, a matrix, or
    a bundled sample if no file has it; `sample` is the one that is simply called so.

    >>> open_counts("verb_object")[0]
    Counts: 9,994 words × 3,609 contexts, 66,626 entries, 110,270 tokens
    """
    text = os.fspath(name)
    if data.is_sample(text):
        if columns is not None:
            raise InputError(f"columns {','.join(split_columns(columns))}: {name} comes with roget")
        found = data.sample(sample if text == "sample" else text)
        if not isinstance(found, Counts):
            raise InputError(f"{name} holds quadruples, not counts")
        return found, ()
    if not os.path.exists(name) and not is_remote(text):
        known = ", ".join(one for one in data.SAMPLES if one != data.QUADRUPLES)
        raise InputError(
            f"{name}: no such file or folder; expected a counts folder, a file of counts (.tsv, "
            f".npz, …) or a sample that comes with roget ({known})"
        )
    if columns is None and is_thesaurus(Path(name)):
        return open_counted(name).counts, ()
    if os.path.isfile(name) and is_taxonomy(name):
        raise _no_contexts(name)
    if _is_text(text):
        given, to = shlex.quote(text), shlex.quote(f"{Path(text).name.partition('.')[0]}.counts")
        raise InputError(
            f"{name}: is text, not counts; count it first: roget count {given} -o {to}"
        )
    return formats.read(name, columns, Counts)


def _is_text(name: str) -> bool:
    """Whether a file's name tells neither table nor matrix, and what is in it is running text."""
    return (
        (os.path.isfile(name) or is_remote(name))
        and Source(name).suffix not in FORMATS
        and _find_texts(name, Counting()) is not None
    )


def _no_contexts(name: PathLike) -> InputError:
    return InputError(
        f"{name}: a taxonomy has no contexts, for nothing was counted; give a thesaurus or counts "
        "of text (roget build, roget count)"
    )


def _open_whole(path: PathLike) -> tuple[Counts, tuple[str, ...]]:
    """All that a thesaurus has counted, also of words that are not in it, for a comparison.

    Words that are told to be there, but whose counts were not kept, are in the provenance.
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
        # All words that are seen more often than the rarest one are there.
        least = min(cuts.get("min_count") or 1, whole.word_totals.min().item())
        whole.provenance["cuts"] = {**cuts, "min_count": least}
    if base.spare is not None and not lost:
        return whole, ()
    said = f"; {plural(len(lost), 'word')} set aside as unsure not listed as new" if lost else ""
    return whole, (
        f"{path}: does not keep the counts of all words that were too rare or unsure, so that "
        f"totals are too small, and words may seem to be in the other only{said}",
    )


@contextmanager
def open_pair(
    old: PathLike,
    new: PathLike,
    options: Counting | None = None,
    progress: Report | None = None,
    evidence: int = 0,
) -> Iterator[tuple[Counts, Counts, tuple[str, ...]]]:
    """The counts of two corpora to be compared, and what there is to tell of them.

    Counts that are there are opened. Texts are counted by one recipe, found out in both together:
    lemmas that are mended in the one and not in the other would look like a change. What is counted
    is there until the block is left. `min_count` is not heeded here. `evidence` is how many
    sentences of texts are kept at least.
    """
    # Only here, as counting is compiled: whoever opens what is there need not wait for that.
    from roget.learn.counting import count as counting
    from roget.learn.counting.plan import plan_tasks, refuse_options

    asked = Counting(**{**vars(options or Counting()), "min_count": 1})
    names = [os.fspath(name) for name in (old, new)]
    found = [_find_texts(name, asked) for name in names]
    texts = [one for one in found if one is not None]
    notes: list[str] = []
    told: list[str] = []
    opened: list[Counts] = []
    with tempfile.TemporaryDirectory(prefix="roget.") as folder:
        if texts:
            asked = replace(asked, evidence=max(asked.evidence, evidence))
            planned = counting.plan_inputs([source.path for one in texts for source in one], asked)
            notes += planned.notes
        for name, one in zip(names, found, strict=True):
            if one is not None:
                plan = replace(planned, sources=one, tasks=plan_tasks(one, planned.recipe))
                place = Path(folder) / str(len(opened))
                done = counting.run(plan, place, asked, keep=False, progress=progress)
                notes += [note for note in done.notes if note not in notes]
                opened.append(Counts.read(place))
                continue
            if not texts:
                refuse_options(asked, name, ("columns",))
            if is_thesaurus(Path(name)):
                counts, more = _open_whole(name)
            else:
                # Columns are those of a table, not of a folder or a sample.
                whole = os.path.isdir(name) or data.is_sample(name)
                counts, more = open_counts(name, None if whole else asked.columns)
            told += more
            opened.append(counts)
        yield opened[0], opened[1], (*notes, *told)


def _find_texts(name: str, asked: Counting) -> list[Source] | None:
    """The sources of running text that a name stands for; None if it is counts or a table."""
    if data.is_sample(name) or is_counts(Path(name)) or is_thesaurus(Path(name)):
        return None
    if (os.path.isfile(name) or is_remote(name)) and Source(name).suffix in (".npz", ".mtx"):
        return None
    from roget.learn.counting.inspect import find_sources
    from roget.learn.counting.recipe import TABULAR

    sources, reader = find_sources(
        [name], asked.reader, asked.encoding, tabular=asked.columns is not None
    )
    return None if reader in TABULAR else sources


def is_taxonomy(path: PathLike) -> bool:
    """Whether a name tells that it holds a thesaurus: a folder, SKOS, WordNet; not a table."""
    place = Path(path)
    named = os.fspath(path).startswith("wn:") and not place.exists()
    # Tables and arrays may be of anything.
    kind = suffixes("taxonomies").get(Source(str(place)).suffix, "tsv")
    return named or place.is_dir() or kind not in ("tsv", "linkage")
