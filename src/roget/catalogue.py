"""The catalogue of measures, readers, clusterers and other components that users select by name.

Each entry maps a name to "module:object", or to "module:table[key]" for an entry of a table. The
module is imported on first use. To add a component, add one line here. Other packages add
components through entry points in the group `roget.<kind>` (for example `roget.measures`), with the
same syntax.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from roget.errors import MissingExtra, UnknownName


def _keys(table: str, *names: str) -> dict[str, str]:
    """Return catalogue entries that point to the given keys of a dictionary in a module."""
    return {name: f"{table}[{name}]" for name in names}


_INFORMATION = "roget.scoring.measures.information"
_REDUCED = "roget.scoring.measures.reduced"
_PAIRS = "roget.scoring.measures.pairs"
_OVERLAP = "roget.scoring.measures.overlap"
_MENTIONS = "roget.scoring.measures.mentions"
_COVERS = "roget.scoring.measures.covers"
_TREES = "roget.scoring.measures.trees"

MEASURES: dict[str, str] = {
    "homogeneity": f"{_INFORMATION}:Homogeneity",
    "completeness": f"{_INFORMATION}:Completeness",
    "v": f"{_INFORMATION}:V",
    "vi": f"{_INFORMATION}:VI",
    "nvi": f"{_INFORMATION}:NVI",
    "nvi-k": f"{_INFORMATION}:NVIK",
    "vi-logn": f"{_INFORMATION}:VILogN",
    "vi-2logn": f"{_INFORMATION}:VITwoLogN",
    "vi-2logk": f"{_INFORMATION}:VITwoLogK",
    "mi": f"{_INFORMATION}:MI",
    "nmi": f"{_INFORMATION}:NMI",
    "zk-entropy": f"{_INFORMATION}:ZKEntropy",
    "q0": f"{_INFORMATION}:Q0",
    "q2": f"{_INFORMATION}:Q2",
    "ami": f"{_INFORMATION}:AMI",
    "smi": f"{_INFORMATION}:SMI",
    "rmi": f"{_REDUCED}:RMI",
    "rmi-plug-in": f"{_REDUCED}:PlugInRMI",
    "purity": f"{_OVERLAP}:Purity",
    "inverse-purity": f"{_OVERLAP}:InversePurity",
    "f": f"{_OVERLAP}:ClusteringF",
    "larsen": f"{_OVERLAP}:Larsen",
    "micro-precision": f"{_OVERLAP}:MicroPrecision",
    "micro-recall": f"{_OVERLAP}:MicroRecall",
    "many-to-one": f"{_OVERLAP}:ManyToOne",
    "van-dongen": f"{_OVERLAP}:VanDongen",
    "supervised-recall": f"{_OVERLAP}:SupervisedRecall",
    "one-to-one": f"{_OVERLAP}:OneToOne",
    "greedy-one-to-one": f"{_OVERLAP}:GreedyOneToOne",
    "misclassification": f"{_OVERLAP}:Misclassification",
    "meila-heckerman": f"{_OVERLAP}:MeilaHeckerman",
    "nca": f"{_OVERLAP}:NCA",
    "psi": f"{_OVERLAP}:PSI",
    "rand": f"{_PAIRS}:Rand",
    "ari": f"{_PAIRS}:ARI",
    "gamma": f"{_PAIRS}:Gamma",
    "correlation-distance": f"{_PAIRS}:CorrelationDistance",
    "pmi2": f"{_PAIRS}:PMI2",
    "sokal-sneath": f"{_PAIRS}:SokalSneath",
    "jaccard": f"{_PAIRS}:Jaccard",
    "fm": f"{_PAIRS}:FowlkesMallows",
    "mirkin": f"{_PAIRS}:Mirkin",
    "paired-precision": f"{_PAIRS}:PairedPrecision",
    "paired-recall": f"{_PAIRS}:PairedRecall",
    "paired-f": f"{_PAIRS}:PairedF",
    "b3-precision": f"{_OVERLAP}:BCubedPrecision",
    "b3-recall": f"{_OVERLAP}:BCubedRecall",
    "b3-f": f"{_OVERLAP}:BCubedF",
    "ceaf-e": f"{_OVERLAP}:CEAFE",
    "ceaf-e-precision": f"{_OVERLAP}:CEAFEPrecision",
    "ceaf-e-recall": f"{_OVERLAP}:CEAFERecall",
    "ceaf-m": f"{_OVERLAP}:CEAFM",
    "ceaf-m-precision": f"{_OVERLAP}:CEAFMPrecision",
    "ceaf-m-recall": f"{_OVERLAP}:CEAFMRecall",
    "cluster-precision": f"{_OVERLAP}:ClusterPrecision",
    "cluster-recall": f"{_OVERLAP}:ClusterRecall",
    "cluster-f": f"{_OVERLAP}:ClusterF",
    "muc": f"{_MENTIONS}:MUC",
    "muc-precision": f"{_MENTIONS}:MUCPrecision",
    "muc-recall": f"{_MENTIONS}:MUCRecall",
    "lea": f"{_MENTIONS}:LEA",
    "lea-precision": f"{_MENTIONS}:LEAPrecision",
    "lea-recall": f"{_MENTIONS}:LEARecall",
    "blanc": f"{_MENTIONS}:BLANC",
    "blanc-precision": f"{_MENTIONS}:BLANCPrecision",
    "blanc-recall": f"{_MENTIONS}:BLANCRecall",
    "conll": f"{_MENTIONS}:CoNLL",
    "mention-f": f"{_MENTIONS}:MentionF",
    "mention-precision": f"{_MENTIONS}:MentionPrecision",
    "mention-recall": f"{_MENTIONS}:MentionRecall",
    "xb3-precision": f"{_COVERS}:ExtendedPrecision",
    "xb3-recall": f"{_COVERS}:ExtendedRecall",
    "xb3-f": f"{_COVERS}:ExtendedF",
    "omega": f"{_COVERS}:Omega",
    "onmi": f"{_COVERS}:OverlappingNMI",
    "mean-best-f1": f"{_COVERS}:MeanBestF1",
    "element-centric": f"{_COVERS}:ElementCentric",
    "fuzzy-b3-precision": f"{_COVERS}:FuzzyPrecision",
    "fuzzy-b3-recall": f"{_COVERS}:FuzzyRecall",
    "fuzzy-b3-f": f"{_COVERS}:FuzzyF",
    "fuzzy-nmi": f"{_COVERS}:FuzzyNMI",
    "dendrogram-purity": f"{_TREES}:DendrogramPurity",
}

ENTROPIES: dict[str, str] = {
    "ml": "roget.scoring.entropy.base:ML",
    "mm": "roget.scoring.entropy.base:MillerMadow",
    "jk": "roget.scoring.entropy.base:Jackknife",
    "bub": "roget.scoring.entropy.bub:BUB",
    "grassberger": "roget.scoring.entropy.base:Grassberger",
    "chao-shen": "roget.scoring.entropy.smoothed:ChaoShen",
    "cwj": "roget.scoring.entropy.smoothed:ChaoWangJost",
    "shrink": "roget.scoring.entropy.smoothed:Shrink",
    "nsb": "roget.scoring.entropy.nsb:NSB",
}

RENDERERS: dict[str, str] = {
    "text": "roget.report.render.text:render",
    "json": "roget.report.render.data:render_json",
    "csv": "roget.report.render.data:render_csv",
    "tsv": "roget.report.render.data:render_tsv",
    "markdown": "roget.report.render.markdown:render",
    "latex": "roget.report.render.latex:render",
    "html": "roget.report.render.html:render",
}

REPORTS: dict[str, str] = {
    "score": "roget.report.score:report",
    "comparison": "roget.report.comparison:report",
    "agreement": "roget.report.agreement:report",
    "ranking": "roget.report.ranking:report",
    "contingency": "roget.report.contingency:report",
    "counts": "roget.report.counts:report_counts",
    "clustering": "roget.report.thesaurus:report_clustering",
    "thesaurus": "roget.report.thesaurus:report",
    "items": "roget.report.items:report",
    "sweep": "roget.report.sweep:report",
    "evaluation": "roget.report.protocols:report",
}
"""Functions that convert a result to a report, keyed by the kind of result."""

_LABELS = "roget.scoring.labels.readers"

LABEL_FORMATS: dict[str, str] = {
    "key": f"{_LABELS}.key:READER",
    "tsv": f"{_LABELS}.delimited:TSV",
    "csv": f"{_LABELS}.delimited:CSV",
    "coref-json": f"{_LABELS}.mentions:COREF_JSON",
    "jsonl": f"{_LABELS}.jsonl:READER",
    "parquet": f"{_LABELS}.parquet:READER",
    "arrow": f"{_LABELS}.sheets:ARROW",
    "xlsx": f"{_LABELS}.sheets:XLSX",
    "npy": f"{_LABELS}.arrays:NPY",
    "npz": f"{_LABELS}.arrays:NPZ",
    "lines": f"{_LABELS}.lines:READER",
    "clusters": f"{_LABELS}.clusters:READER",
    "pairs": f"{_LABELS}.pairs:READER",
    "conll": f"{_LABELS}.mentions:CONLL",
    "corefud": f"{_LABELS}.mentions:COREFUD",
    "newick": f"{_LABELS}.newick:READER",
    "linkage": f"{_LABELS}.arrays:LINKAGE",
    "thesaurus": "roget.report.exports.labels:READER",
    "paths": f"{_LABELS}.thesaurus_files:PATHS_READER",
    "json": f"{_LABELS}.thesaurus_files:JSON",
    "brown": f"{_LABELS}.thesaurus_files:BROWN",
}

READERS: dict[str, str] = {
    "conllu": "roget.learn.corpus.conllu:read",
    "text": "roget.learn.corpus.text:read",
    "hanta": "roget.learn.corpus.tagger:read",
    "spacy": "roget.learn.corpus.spacy_reader:read",
    "docbin": "roget.learn.corpus.spacy_reader:read_docbin",
    "table": "roget.learn.counting.read_tables:count_table",
    "matrix": "roget.learn.counting.read_tables:count_matrix",
}

LANGUAGES: dict[str, str] = {
    "english": "roget.languages.english:English",
    "german": "roget.languages.german:German",
    "dutch": "roget.languages.dutch:Dutch",
}

SEGMENTERS: dict[str, str] = {
    "learnt": "roget.learn.corpus.segmenting:LearntSegmenter",
    "jieba": "roget.learn.corpus.segmenting:Jieba",
}

RELATIONS = _keys(
    "roget.learn.corpus.relations:NAMED",
    "obj", "subj", "amod", "obl:prep", "nmod:prep", "nouns", "verbs", "adjectives", "names", "all",
)  # fmt: skip

CLUSTERERS: dict[str, str] = {
    "spherical": "roget.learn.clustering.spherical.estimator:SphericalTree",
    "soft": "roget.learn.clustering.soft.estimator:SoftAnnealing",
    "symmetric": "roget.learn.clustering.symmetric.estimator:SymmetricAnnealing",
    "mdl": "roget.learn.clustering.mdl.estimator:MDLTree",
    "comdl": "roget.learn.clustering.comdl.estimator:CoMDL",
    "agglomerative": "roget.learn.clustering.agglomerative.estimator:AgglomerativeTree",
}

_RECIPES = "roget.learn.classmodel.recipes:RECIPES"

MODELS: dict[str, str] = {
    **_keys(_RECIPES, "unigram", "mle", "absolute", "kneser-ney", "nmf", "lda", "nearest"),
    "soft": CLUSTERERS["soft"],
    "soft-symmetric": CLUSTERERS["symmetric"],
    "symmetric": CLUSTERERS["symmetric"],
    "mdl": CLUSTERERS["mdl"],
    "comdl": CLUSTERERS["comdl"],
    "agglomerative": CLUSTERERS["agglomerative"],
    **_keys(_RECIPES, "roget", "all"),
}

TOGETHER = {
    "roget": ("soft-symmetric", "comdl"),
    "all": ("soft-symmetric", "comdl", "soft", "mdl", "nearest", "nmf", "lda"),
}
"""Class models that combine the classes of several other models."""

TAXONOMIES: dict[str, str] = {
    "skos": "roget.learn.taxonomy.skos:read",
    "linkage": "roget.learn.taxonomy.linkage:read",
    "tsv": "roget.learn.taxonomy.tsv:read",
    "wordnet": "roget.learn.taxonomy.wordnet:read",
    "wordnet-tables": "roget.learn.taxonomy.wordnet:read_tables",
    "wn": "roget.learn.taxonomy.wordnet:read_package",
}

_PAPERS = {
    "v-measure": ("figure-2", "figure-3", "table-2", "figure-4", "figure-5", "bias"),
    "nvi": ("table-1", "properties", "tables-2-4", "grammar"),
    "entropy": (
        "figures-1-2",
        "table-1",
        "figures-3-4",
        "weighted",
        "section-5",
        "ranking",
        "sample-size",
    ),
    "soft": ("figure-1", "figure-2", "figure-3", "figure-4"),
    "mdl": ("figure-2", "figure-3", "table-1", "table-2"),
}

REPRODUCTIONS: dict[str, str] = {
    f"{paper}/{part}": f"roget.papers.{paper}.{part}:{part}".replace("-", "_")
    for paper, parts in _PAPERS.items()
    for part in parts
}
"""Reproducible tables and figures of papers.

Each entry is a function in a module of the same name.
"""

EXPORTERS: dict[str, str] = {
    "skos": "roget.report.exports.skos:write_turtle",
    "skos-xml": "roget.report.exports.skos:write_xml",
    "json": "roget.report.exports.trees:write_json",
    "newick": "roget.report.exports.trees:write_newick",
    "linkage": "roget.report.exports.trees:write_linkage",
    "brown": "roget.report.exports.trees:write_brown",
    "graphviz": "roget.report.exports.trees:write_graphviz",
    "tsv": "roget.report.exports.tables:write_tsv",
    "csv": "roget.report.exports.tables:write_csv",
    "xlsx": "roget.report.exports.tables:write_xlsx",
    "parquet": "roget.report.exports.tables:write_parquet",
    "markdown": "roget.report.exports.booklet:write_markdown",
    "html": "roget.report.exports.booklet:write_html",
    "pdf": "roget.report.exports.booklet:write_pdf",
    "thesaurus": "roget.report.exports.base:write_folder",
}

SUFFIXES: dict[str, dict[str, str]] = {
    "readers": {
        **dict.fromkeys((".conllu", ".conll"), "conllu"),
        **dict.fromkeys((".txt", ".text"), "text"),
        ".spacy": "docbin",
        **dict.fromkeys((".npz", ".mtx"), "matrix"),
    },
    "taxonomies": {
        **dict.fromkeys((".ttl", ".nt", ".rdf", ".xml", ".owl"), "skos"),
        **dict.fromkeys((".tsv", ".tab", ".txt", ".csv", ".jsonl", ".parquet"), "tsv"),
        **dict.fromkeys((".noun", ".verb"), "wordnet"),
        ".npz": "linkage",
    },
    "exporters": {
        ".ttl": "skos", ".rdf": "skos-xml", ".xml": "skos-xml", ".json": "json",
        ".nwk": "newick", ".newick": "newick", ".tree": "newick", ".paths": "brown",
        ".npz": "linkage",
        ".dot": "graphviz", ".gv": "graphviz", ".tsv": "tsv", ".parquet": "parquet",
        ".csv": "csv", ".xlsx": "xlsx",
        ".md": "markdown", ".html": "html", ".htm": "html", ".pdf": "pdf",
        ".thesaurus": "thesaurus",
    },
    "renderers": {
        ".txt": "text", ".json": "json", ".csv": "csv", ".tsv": "tsv", ".md": "markdown",
        ".markdown": "markdown", ".tex": "latex", ".html": "html", ".htm": "html",
    },
}  # fmt: skip
"""File suffixes of the built-in readers and writers. A compression suffix (.gz) may follow."""

ENGINES: dict[str, str] = {"local": "roget.engines.local:Local", "dask": "roget.engines.dask:Dask"}

OTHER_NAMES: dict[str, str] = {
    **dict.fromkeys(("accuracy", "clustering-accuracy"), "one-to-one"),
    **dict.fromkeys(("adjusted-rand", "adjusted-rand-index"), "ari"),
    "adjusted-mutual-information": "ami",
    **dict.fromkeys(("b3", "b-cubed", "bcubed"), "b3-f"),
    "ceaf": "ceaf-e",
    **dict.fromkeys(("fmi", "fowlkes-mallows"), "fm"),
    "f-score": "f",
    "muc-f": "muc",
    "lea-f": "lea",
    "blanc-f": "blanc",
    "conll-f": "conll",
    "mutual-information": "mi",
    "variation-of-information": "vi",
    **dict.fromkeys(("v-measure", "vmeasure"), "v"),
    "jackknife": "jk",
    "miller-madow": "mm",
    **dict.fromkeys(("mle", "plug-in", "plugin"), "ml"),
}
"""Common names of measures and estimators, used to suggest roget's name in error messages."""

SYNONYMS = (
    "adjusted-mutual-information", "adjusted-rand", "adjusted-rand-index", "blanc-f", "conll-f",
    "fmi", "fowlkes-mallows", "lea-f", "muc-f", "mutual-information", "v-measure",
    "variation-of-information", "vmeasure",
)  # fmt: skip
"""Unambiguous alternative names of measures, which are accepted as input."""

FAMILIAR: dict[str, dict[str, str]] = {
    "scikit-learn": {
        "adjusted_mutual_info_score": "ami",
        "adjusted_rand_score": "ari",
        "completeness_score": "completeness",
        "fowlkes_mallows_score": "fm",
        "homogeneity_score": "homogeneity",
        "mutual_info_score": "mi",
        "normalized_mutual_info_score": "nmi",
        "rand_score": "rand",
        "v_measure_score": "v",
    },
    "torchmetrics": {"cluster_accuracy": "one-to-one", "fowlkes_mallows_index": "fm"},
    "genieclust": {
        "adjusted_mi_score": "ami",
        "fm_score": "fm",
        "mi_score": "mi",
        "normalized_mi_score": "nmi",
    },
    "CluSim": {
        "adj_mi": "ami",
        "adjrand_index": "ari",
        "classification_error": "misclassification",
        "czekanowski_index": "paired-f",
        "dice_index": "paired-f",
        "jaccard_index": "jaccard",
        "rand_index": "rand",
        "sorensen_index": "paired-f",
    },
    "MTEB": {"v_measure": "v"},
    "the CoNLL coreference scorer": {
        "bcub": "b3-f",
        "ceafe": "ceaf-e",
        "ceafm": "ceaf-m",
    },
    "neleval": {"b_cubed": "b3-f", "entity_ceaf": "ceaf-e", "mention_ceaf": "ceaf-m"},
    "mclust": {"adjustedrandindex": "ari", "classerror": "misclassification"},
    "Clustering.jl": {"varinfo": "vi", "vmeasure": "v"},
}
"""Functions of other libraries, with the measures that compute the same values. Their names are
accepted as aliases."""

KINDS: dict[str, dict[str, str]] = {
    "measures": MEASURES,
    "entropies": ENTROPIES,
    "renderers": RENDERERS,
    "reports": REPORTS,
    "label formats": LABEL_FORMATS,
    "readers": READERS,
    "languages": LANGUAGES,
    "segmenters": SEGMENTERS,
    "relations": RELATIONS,
    "clusterers": CLUSTERERS,
    "models": MODELS,
    "taxonomies": TAXONOMIES,
    "exporters": EXPORTERS,
    "engines": ENGINES,
    "reproductions": REPRODUCTIONS,
}


LEARNING = ("learn", "learning word classes")
EXTRAS: dict[str, tuple[str, str, str]] = {
    "HanTa": ("HanTa", "learn", "tagging plain text"),
    "anywidget": ("anywidget", "notebook", "pages in notebooks"),
    "distributed": ("distributed", "dask", "running on a Dask cluster"),
    "fsspec": ("fsspec", "remote", "reading remote files"),
    "rjieba": ("rjieba", "chinese", "segmenting Chinese text with a dictionary"),
    "matplotlib": ("matplotlib", "figures", "drawing figures"),
    "pandas": ("pandas", "frames", "conversion to data frames"),
    "polars": ("polars", "frames", "conversion to data frames"),
    "pooch": ("pooch", "data", "downloading data sets"),
    "rdflib": ("rdflib", "skos", "reading SKOS"),
    "regex": ("regex", *LEARNING),
    "sklearn": ("scikit-learn", *LEARNING),
    "snowballstemmer": ("snowballstemmer", "papers", "stemming the documents of a paper"),
    "spacy": ("spacy", "spacy", "parsing with spaCy"),
    "starlette": ("starlette", "explore", "the explorer"),
    "threadpoolctl": ("threadpoolctl", *LEARNING),
    "uvicorn": ("uvicorn", "explore", "the explorer"),
    "wn": ("wn", "wordnet", "reading a lexicon of the wn package"),
}
"""Optional modules: the distribution, the extra of roget that installs it, and the purpose.

The entry for numba is added by `core.kernels`.
"""


@contextmanager
def name_extra() -> Iterator[None]:
    """Raise `MissingExtra` if code in the block cannot import an optional module.

    Public names, the catalogue and commands are loaded within this context manager, so their
    modules can import the dependencies of `roget[learn]` as usual. It also surrounds imports of
    modules that only a single feature needs.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        extra = EXTRAS.get(str(error.name).partition(".")[0])
        if extra is None:
            raise
        raise MissingExtra(*extra) from error


@cache
def entries(kind: str) -> dict[str, str]:
    """Return the names of a kind with their "module:object" strings, built-in components first."""
    from importlib import metadata

    group = "roget." + kind.replace(" ", "_")
    outside = {point.name: point.value for point in metadata.entry_points(group=group)}
    # All clusterers, including plug-ins, are also class models.
    also = entries("clusterers") if kind == "models" else {}
    return {**KINDS[kind], **also, **outside, **KINDS[kind]}


def names(kind: str) -> list[str]:
    """Return the names of all components of a kind, in catalogue order."""
    return list(entries(kind))


_INTERNAL = {"silhouette", "silhouette-score", "davies-bouldin", "calinski-harabasz", "inertia"}
"""Names of measures that need the data, not only labels, so roget does not have them."""


def check(kind: str, name: str) -> str:
    """Return the name if the catalogue contains it. Otherwise, raise `UnknownName`.

    >>> check("readers", "conlu")
    Traceback (most recent call last):
        ...
    roget.errors.UnknownName: unknown reader 'conlu': did you mean conllu?
    """
    # Check built-in names first, because looking up entry points requires a scan of installed
    # packages.
    if name not in KINDS[kind] and name not in entries(kind):
        listed = f"`roget list {kind.replace(' ', '-')}`"
        internal = kind == "measures" and name.lower().replace("_", "-") in _INTERNAL
        remedy = (
            f"; {name} requires the data in addition to the labels (see sklearn.metrics)" * internal
        )
        singular = _SINGULAR.get(kind, kind[:-1])
        raise UnknownName(singular, name, names(kind), OTHER_NAMES, listed, remedy=remedy)
    return name


@cache
def load(kind: str, name: str) -> Any:
    """Import and return the object that the catalogue lists under a name.

    >>> load("measures", "vv")
    Traceback (most recent call last):
        ...
    roget.errors.UnknownName: unknown measure 'vv': did you mean v?
    """
    # Look up built-in names first, because looking up entry points requires a scan of installed
    # packages.
    found = KINDS[kind].get(name) or entries(kind)[check(kind, name)]
    module, _, attribute = found.partition(":")
    attribute, _, key = attribute.partition("[")
    with name_extra():
        part = getattr(importlib.import_module(module), attribute)
    return part[key.removesuffix("]")] if key else part


def find_familiar(name: str) -> str:
    """Map a function name from another library to roget's measure. Return other names unchanged.

    >>> find_familiar("normalized_mi_score"), find_familiar("v-measure"), find_familiar("v")
    ('nmi', 'v', 'v')
    """
    for library in FAMILIAR.values():
        if name in library:
            return library[name]
    plain = name.replace("_", "-")
    return OTHER_NAMES[plain] if plain in SYNONYMS else name


def suffixes(kind: str) -> dict[str, str]:
    """Return a mapping from file suffixes to the names of their readers or writers.

    Plug-ins declare suffixes as an attribute: `read.suffixes = (".vrt",)`.
    """
    outside = [name for name in entries(kind) if name not in KINDS[kind]]
    theirs = {
        suffix: name for name in outside for suffix in getattr(load(kind, name), "suffixes", ())
    }
    return {**theirs, **SUFFIXES[kind]}


def suffixes_of(kind: str, part: Any) -> tuple[str, ...]:
    """Return the suffixes that a reader or writer declares.

    If it declares none, return those in `SUFFIXES`.
    """
    declared = tuple(getattr(part, "suffixes", ()))
    target = f"{getattr(part, '__module__', '')}:{getattr(part, '__name__', '')}"
    return declared or tuple(
        suffix for suffix, name in SUFFIXES.get(kind, {}).items() if KINDS[kind][name] == target
    )


_SINGULAR = {
    "entropies": "entropy estimator",
    "renderers": "format",
    "taxonomies": "kind of taxonomy",
    "exporters": "export format",
}
"""Irregular singular forms of the names of kinds, for messages.

The singular of any other kind is the name without the final letter.
"""
