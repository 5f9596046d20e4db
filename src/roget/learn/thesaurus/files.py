"""Read and write thesaurus folders: counts, clustering, labels, and a log of edits.

Spare counts are the counts of rare or uncertain words, which are not in the thesaurus but may be
added when it grows.

thesaurus.json       format, sizes, tree, labels, path of the search, rule for new words, files
edits.json           the edits, done and undone. All other files hold the unedited thesaurus
membership.parquet   row INTEGER, cluster INTEGER, probability DOUBLE: p(cluster|word)
centroids.npz        centroids: clusters × contexts; mass: p(cluster); other arrays

The files words.parquet, contexts.parquet and entries.parquet, and the tables of example sentences,
have the format of counts folders. Tables with the prefix "spare-" contain the spare counts. Version
1 had no labels and no edits. Version 2 used a different kind of checksum.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from roget.core import contents
from roget.core import folder as folders
from roget.core.contents import (
    Contents,
    column,
    is_list_of,
    is_mapping,
    is_number,
    is_optional,
    is_text,
    is_whole,
    table,
    tables_of,
    value,
)
from roget.core.counts import Counts
from roget.core.counts import evidence as sentences
from roget.core.counts import files as counts_files
from roget.core.counts.evidence import ExampleContents
from roget.core.counts.files import ContextTable, EntryTable, MatrixContents, WordTable
from roget.core.store import locked, write_atomic
from roget.core.tree import Tree
from roget.core.types import Array, PathLike
from roget.errors import InputError
from roget.learn.clustering.result import Clustering
from roget.learn.thesaurus.edits import Edit, GrowthChange, Note

if TYPE_CHECKING:
    from roget.learn.thesaurus.thesaurus import Thesaurus

EDITS, EDITS_FORMAT, EDITS_VERSION = "edits.json", "roget.edits", 3
_SEALED = 2
"""The first version of the edits.json format that has a checksum."""
MEMBERSHIP = "membership.parquet"

HELD_OUT = ("all", "class", "word", "both")
"""Names of the models that are evaluated on held-out tokens."""


class Changed(InputError):
    """Error for a folder whose thesaurus or edits have changed since it was read or written."""

    code = "changed"


class FolderState(NamedTuple):
    """Hashes of the files that identify the contents of a folder ("" for a missing file)."""

    manifest: str
    edits: str


def _is_tree(value: Any) -> bool:
    """Return True if a JSON value is a valid tree."""
    return (
        is_mapping(value)
        and all(is_list_of(is_whole)(value.get(name)) for name in ("parent", "cluster"))
        and is_list_of(lambda one: one is None or is_number(one))(value.get("value"))
    )


def _is_shape(value: Any) -> bool:
    """Return True if a JSON value is a list of the numbers of words, contexts and clusters."""
    return is_list_of(is_whole)(value) and len(value) == 3


def _is_step(value: Any) -> bool:
    """Return True if a JSON value is a mapping to strings, numbers, booleans or null."""
    return is_mapping(value) and not any(isinstance(one, dict | list) for one in value.values())


def _is_heldout(value: Any) -> bool:
    """Return True if a JSON value is a mapping with the held-out bits per token of all models."""
    return is_mapping(value) and all(is_number(value.get(one)) for one in HELD_OUT)


def _is_trust(value: Any) -> bool:
    return (
        is_mapping(value)
        and all(is_number(value.get(one)) for one in ("words", "occurrences", "classes"))
        and all(is_optional(is_number)(value.get(one)) for one in ("agreement", "recurring"))
    )


def _is_background(value: Any) -> bool:
    return is_mapping(value) and all(is_text(value.get(one)) for one in ("name", "sha256"))


def _is_text_mapping(value: Any) -> bool:
    """Return True if a JSON value is a mapping to strings."""
    return is_mapping(value) and all(map(is_text, value.values()))


def _is_note(value: Any) -> bool:
    """Return True if a JSON value is a list of a node or word, its definition, and a note on it."""
    return (
        isinstance(value, list)
        and len(value) == 3
        and (is_whole(value[0]) or is_text(value[0]))
        and all(map(is_text, value[1:]))
    )


def _check_old(place: Path, record: dict[str, Any]) -> None:
    """Raise an error if a manifest of version 1 or 2 was modified.

    Version 2 stores a hash in `sha256`.
    """
    if record["version"] == 1:
        if "sha256" in record or (place.parent / EDITS).exists():
            raise InputError(
                f"{place}: the file has been modified: it claims to be version 1, but version 1 "
                f"has neither 'sha256' nor {EDITS}",
                code="damaged-folder",
            )
        record.setdefault("labels", {})
    elif not _is_hashed({n: v for n, v in record.items() if n != "sha256"}, record.get("sha256")):
        raise folders.changed(place)


@dataclass(frozen=True)
class MembershipTable:
    """The stored table of p(cluster|word), sorted by row."""

    row: Array = column("INTEGER", below="words")
    cluster: Array = column("INTEGER", below="clusters")
    probability: Array = column("DOUBLE")


@dataclass(frozen=True)
class SpareContents(Contents):
    """The optional tables of the spare counts (see `Thesaurus.spare`)."""

    spare_words: WordTable = table(
        WordTable, counts_files.WORDS, "words", optional=True, prefix="spare-"
    )
    spare_contexts: ContextTable = table(
        ContextTable, counts_files.CONTEXTS, "contexts", optional=True, prefix="spare-"
    )
    spare_cells: EntryTable = table(
        EntryTable, counts_files.ENTRIES, "entries", optional=True, prefix="spare-"
    )


SPARE = tuple(tables_of(SpareContents, optional=True))
"""Names of the tables of the spare counts."""


@dataclass(frozen=True)
class ThesaurusManifest(Contents):
    """The values of a thesaurus in the manifest, without its provenance."""

    shape: list[int] = value(_is_shape, sizes=("words", "contexts", "clusters"))
    dtype: str = value(counts_files.is_dtype)
    tree: dict[str, Any] = value(_is_tree)
    labels: dict[str, str] = value(is_mapping)
    path: list[Any] = value(is_list_of(_is_step))
    changes: list[Any] | None = value(is_optional(is_list_of(is_mapping)))
    relations: list[str] = value(is_list_of(is_text))
    counts: dict[str, Any] = value(is_mapping)
    clustering: dict[str, Any] | None = value(is_optional(is_mapping))
    """The clustering, except its tree and path. Early versions did not store this field."""
    ids: list[int] | None = value(is_optional(is_list_of(is_whole)))
    next_id: int | None = value(is_optional(is_whole))
    notes: list[Any] | None = value(is_optional(is_list_of(_is_note)))


@dataclass(frozen=True)
class ThesaurusContents(ThesaurusManifest, SpareContents, ExampleContents, MatrixContents):
    """The content of a thesaurus folder, without its arrays and edits."""

    membership: MembershipTable = table(MembershipTable, MEMBERSHIP, "memberships")
    beta: float | None = value(is_optional(is_number), at="provenance.beta")
    description_length: float | None = value(
        is_optional(is_number), at="provenance.description_length"
    )
    options: Any = value(is_optional(is_mapping), at="provenance.options")
    clusterer: str | None = value(is_optional(is_text), at="provenance.clusterer")
    heldout: Any = value(is_optional(_is_heldout), at="provenance.heldout")
    unsure: Any = value(is_optional(_is_text_mapping), at="provenance.unsure")
    background: Any = value(is_optional(_is_background), at="provenance.background")
    prior: Any = value(is_optional(_is_background), at="provenance.prior")
    trust: Any = value(is_optional(_is_trust), at="provenance.trust")


KIND = folders.Kind(
    name="thesaurus",
    format="roget.thesaurus",
    title="a thesaurus",
    manifest=folders.THESAURUS,
    beside=(EDITS,),
    version=3,
    contents=ThesaurusContents,
    arrays="centroids.npz",
    old=_check_old,
)
FILES = KIND.files


def is_thesaurus(folder: PathLike) -> bool:
    """Return True if a folder has the manifest of a thesaurus."""
    return folders.is_kind(folder, KIND)


def write(
    thesaurus: Thesaurus,
    path: PathLike,
    *,
    instead_of: Thesaurus | None = None,
    evidence: bool = True,
) -> None:
    """Write a thesaurus atomically, replacing an existing one.

    Parameters
    ----------
    thesaurus
        The thesaurus. If it was read from the folder or written there before, only its edits are
        written.
    path
        The folder.
    instead_of
        The thesaurus that is in the folder, if the new one was made from it. In this case, all
        files are rewritten.
    evidence
        If False, example sentences are left out.

    Raises
    ------
    Changed
        If another program has written to the folder in the meantime.
    """
    base, target = thesaurus.base, Path(os.path.realpath(path))
    known = (instead_of or thesaurus).base.homes.get(target)
    if known is not None and instead_of is None:
        with locked(target):
            _require_unchanged(target, known)
            if _is_complete(target):
                edits = _write_edits(target, thesaurus, known.manifest)
                base.homes[target] = FolderState(known.manifest, edits)
                return

    def is_ours(folder: Path) -> bool:
        if known is not None:
            _require_unchanged(folder, known)
        return is_thesaurus(folder)

    with folders.draft_of(target, KIND, is_ours) as draft:
        digest = _fill(draft, base, evidence, thesaurus.spare)
        edits = _write_edits(draft, thesaurus, digest)
    base.homes[target] = FolderState(digest, edits)


def read(path: PathLike, kind: type[Thesaurus]) -> Thesaurus:
    """Read a thesaurus. Raise an error if a file is missing, truncated or modified."""
    folder = folders.open_folder(path, KIND)
    log, digest = _read_edits(folder)
    folder.verify()
    base = _read_base(folder, kind)
    state = FolderState(folder.digest, digest)
    if _read_state(folder.path) != state:
        raise Changed(f"{path}: the thesaurus was changed while it was being read; load it again")
    base.homes[folder.path.resolve()] = state
    try:
        return base.editor.with_edits(*log) if any(log) else base
    except (InputError, LookupError) as error:
        raise InputError(f"{folder.path / EDITS}: {error}", code="damaged-folder") from None


def read_edits(path: PathLike) -> tuple[Edit, ...]:
    """Read the edits of a thesaurus folder without reading the thesaurus."""
    return _read_edits(folders.open_folder(path, KIND))[0].edits


def _fill(draft: Path, base: Thesaurus, evidence: bool, spare: Counts | None) -> str:
    """Write all files except the edits, and return the SHA-256 of the manifest."""
    counts, clustering, belongs = base.counts, base.clustering, base.memberships.copy()
    belongs.sum_duplicates()
    belongs = belongs.tocoo()
    held, arrays = clustering.to_parts()
    n_nodes = base.tree.n_nodes
    # Store ids only if they differ from node numbers.
    has_ids = base.next_id != n_nodes or bool((base.ids != np.arange(n_nodes)).any())
    manifest = ThesaurusManifest(
        shape=[*counts.shape, base.tree.n_clusters],
        dtype=str(counts.matrix.dtype),
        tree=held.pop("tree"),
        labels={str(node): base.labels[node] for node in sorted(base.labels)},
        path=[_finite(step) for step in held.pop("path")],
        changes=[change.to_json() for change in base.changes],
        relations=list(counts.relations),
        counts=dict(counts.provenance),
        clustering={**held, "contexts": None},
        ids=base.ids.tolist() if has_ids else None,
        next_id=base.next_id if has_ids else None,
        notes=[[about, *note] for about, note in base.notes.items()] or None,
    )
    columns = {"row": belongs.row, "cluster": belongs.col, "probability": belongs.data}
    return folders.fill(
        draft,
        KIND,
        {name: value for name, value in manifest.content().items() if value is not None},
        provenance=base.provenance,
        tables={
            **counts_files.to_tables(counts),
            MEMBERSHIP: columns,
            **(sentences.to_tables(counts) if evidence else {}),
            **_make_spare_tables(spare, base.counts),
        },
        arrays={name: a for name, a in arrays.items() if not name.startswith("memberships")},
    )


def _make_spare_tables(spare: Counts | None, counts: Counts) -> dict[str, Any]:
    """Return the tables of the spare counts (words that growth may add later), keyed by name."""
    if spare is None:
        return {}
    tables = counts_files.to_tables(spare)
    entries = tables[counts_files.ENTRIES]
    entries["count"] = entries["count"].astype(counts.matrix.dtype)
    return {f"spare-{name}": columns for name, columns in tables.items()}


def _make_spare_reader(folder: folders.Folder) -> Callable[[], Counts | None]:
    """Return a function that reads the spare counts on its first call and caches them."""

    @cache
    def read() -> Counts | None:
        if not all(map(folder.has, SPARE)):
            return None
        if folders.open_folder(folder.path, KIND).digest != folder.digest:
            raise Changed(
                f"{folder.path}: the folder was changed after it was loaded; load it again"
            )
        tables = dict(zip(counts_files.TABLES, folder.tables(*SPARE).values(), strict=True))
        shape = len(tables[counts_files.WORDS]["word"]), len(tables[counts_files.CONTEXTS]["slot"])
        with contents.report_damage(folder.path):
            return counts_files.from_tables(tables, shape, folder.record["relations"], {}, Counts)

    return read


def _read_base(folder: folders.Folder, kind: type[Thesaurus]) -> Thesaurus:
    """Read the thesaurus without its edits."""
    record, tables, arrays = folder.record, folder.tables(), folder.arrays()
    belongs = tables[MEMBERSHIP]
    try:
        manifest = ThesaurusManifest.read(record)
        names = tables[counts_files.WORDS]["word"], tables[counts_files.CONTEXTS]["context"]
        shape = [*map(len, names), int(arrays["mass"].size)]
        if manifest.shape != shape:
            raise InputError(
                f"'shape' is {manifest.shape}, but the shape of the tables is {shape}",
                code="damaged-folder",
            )
        words, contexts, clusters = shape
        counts = counts_files.from_tables(
            tables, (words, contexts), manifest.relations, manifest.counts, Counts
        )
        counts.evidence = sentences.from_folder(folder, counts)
        cells = belongs["probability"], (belongs["row"], belongs["cluster"])
        table = sparse.coo_array(cells, shape=(words, clusters))
        about = {
            "provenance": record["provenance"],
            "labels": {int(node): label for node, label in manifest.labels.items()},
            "notes": {about: Note(*held) for about, *held in manifest.notes or ()},
            "ids": manifest.ids,
            "next_id": manifest.next_id,
        }
        if manifest.clustering is None:  # The folder was written by an early version.
            tree = Tree.from_json(manifest.tree)
            parts = tree, table, arrays["centroids"], arrays["mass"]
            return kind.from_parts(counts, *parts, steps=manifest.path, **about)
        plain = {**manifest.clustering, "tree": manifest.tree, "path": manifest.path}
        arrays |= contents.to_arrays("memberships", table.tocsr())
        about["changes"] = [GrowthChange.from_json(one) for one in manifest.changes or ()]
        about["load_spare"] = _make_spare_reader(folder)
        return kind.from_clustering(counts, Clustering.from_parts(plain, arrays), **about)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        reason = str(error) if isinstance(error, InputError) else repr(error)
        raise InputError(
            f"{folder.path / KIND.manifest}: inconsistent with the other files: {reason}",
            code="damaged-folder",
        ) from None


class EditLog(NamedTuple):
    """The content of edits.json."""

    edits: tuple[Edit, ...] = ()
    undone: tuple[Edit, ...] = ()
    next_id: int = 0


def _write_edits(folder: Path, thesaurus: Thesaurus, digest: str) -> str:
    """Write the file edits.json and return its SHA-256.

    The file contains `digest`, the hash of the manifest of the thesaurus it belongs to.
    """
    record = {
        "format": EDITS_FORMAT,
        "version": EDITS_VERSION,
        "thesaurus": digest,
        "edits": [edit.to_json() for edit in thesaurus.edits],
        "undone": [edit.to_json() for edit in thesaurus.undone],
        "next_id": thesaurus.next_id,
    }
    data = folders.seal_text(record)
    write_atomic(folder / EDITS, data.decode())
    return hashlib.sha256(data).hexdigest()


def _read_edits(folder: folders.Folder) -> tuple[EditLog, str]:
    """Read the edits, and the SHA-256 of their file, which is "" in version 1."""
    if folder.record["version"] == 1:
        return EditLog(), ""
    place = folder.path / EDITS
    if not place.is_file():
        raise InputError(f"{place}: the file is missing", code="damaged-folder")
    data = place.read_bytes()
    record = folders.parse(place, data)
    version = folders.require_version(place, record, EDITS_FORMAT, EDITS_VERSION, data, _SEALED)
    done, undone, next_id = record.get("edits"), record.get("undone", []), record.get("next_id", 0)
    if not isinstance(done, list) or not (version > 1 or _is_hashed(done, record.get("sha256"))):
        raise folders.changed(place)
    if not isinstance(undone, list) or not is_whole(next_id):
        raise folders.changed(place)
    if record.get("thesaurus") != folder.digest:
        raise InputError(
            f"{place}: the edits belong to a different file {KIND.manifest}", code="damaged-folder"
        )
    try:
        edits, later = (tuple(Edit.from_json(one) for one in some) for some in (done, undone))
    except InputError as error:
        raise InputError(f"{place}: {error}", code="damaged-folder") from None
    return EditLog(edits, later, next_id), hashlib.sha256(data).hexdigest()


def _is_hashed(plain: Any, seal: object) -> bool:
    """Return True if `seal` is the hash of JSON values as older versions computed it."""
    try:
        return seal == hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()
    except RecursionError:  # Roget never writes deeply nested files, so such a file is not valid.
        return False


def _read_state(folder: Path) -> FolderState:
    """Return the hashes of the manifest and the edits in a folder."""
    files = (folder / KIND.manifest, folder / EDITS)
    manifest, edits = (folders.sha256(file) if file.is_file() else "" for file in files)
    return FolderState(manifest, edits)


def _require_unchanged(folder: Path, known: FolderState) -> None:
    """Raise an error if a folder has changed since it was read. Missing files are allowed."""
    for name, now, before in zip((KIND.manifest, EDITS), _read_state(folder), known, strict=True):
        if now not in ("", before):
            what = "edited" if name == EDITS else "rebuilt or changed"
            raise Changed(
                f"{folder / name}: the thesaurus was {what} by another program since it was "
                "loaded; load it again, or save it under another name"
            )


def _is_complete(path: Path) -> bool:
    """Return True if a folder contains all files in its manifest, with the correct sizes."""
    try:
        folder = folders.open_folder(path, KIND)
        files = folder.record["files"].items()
        return folder.is_sealed and all((path / n).stat().st_size == s["bytes"] for n, s in files)
    except (InputError, OSError):
        return False


def _finite(step: Mapping[str, Any]) -> dict[str, Any]:
    """Replace infinite and NaN values, which JSON cannot represent, by None."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in step.items()
    }
