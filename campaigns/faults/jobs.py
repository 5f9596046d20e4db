"""The commands that are disturbed, with their small inputs and their outputs."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path

from roget import catalogue

NOUNS = {
    "trinken": ("Tee", "Milch", "Wein", "Bier", "Wasser", "Saft", "Kaffee", "Rum"),
    "lesen": ("Buch", "Brief", "Zeitung", "Märchen", "Roman", "Gedicht", "Karte", "Heft"),
    "fahren": ("Auto", "Zug", "Straßenbahn", "Rad", "Boot", "Bus", "Wagen", "Schiff"),
    "tragen": ("Hut", "Mantel", "Rock", "Schuh", "Hemd", "Jacke", "Mütze", "Kleid"),
}
MORE = {"trinken": ("kaufen", "kochen"), "lesen": ("schreiben", "kaufen")}
MORE |= {"fahren": ("sehen", "lenken"), "tragen": ("nähen", "sehen")}
PEOPLE = ("Mann", "Frau", "Kind", "Lehrerin", "Bäcker", "Schülerin")


@dataclass(frozen=True)
class Job:
    """A command to disturb. Its paths are in a folder of its own."""

    name: str
    command: tuple[str, ...]
    output: str
    needs: tuple[str, ...]
    """Inputs, as names of `MATERIAL`."""
    before: str = ""
    """Material that is at the path of the output before the run."""
    once: bool = False
    """Whether a second run has another effect than the first, as for edits."""
    early: bool = False
    """Whether Ctrl-C may leave a complete output that contains less."""
    pool: bool = False
    """Whether the command starts processes and must therefore run as a new process."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names in the folder before the command runs."""
        return (*self.needs, *([self.output] if self.before else ()))


def write_texts(folder: Path) -> None:
    """Write the texts and tables that all material is made from, always the same."""
    dice = random.Random(0)
    for name, size in (("text", 300), ("other", 300), ("more", 120)):
        lines = [make_sentence(dice) for _ in range(size)]
        text = " ".join(f"Die {who} will {thing} {verb}." for who, verb, thing in lines)
        (folder / f"{name}.txt").write_text(text + "\n", encoding="utf-8")
        parsed = "\n".join(map(parse, lines))
        (folder / f"{name}.conllu").write_text(parsed, encoding="utf-8")
    words = [word for some in NOUNS.values() for word in some]
    for name, wrong in (("gold", 0.0), ("one", 0.2), ("two", 0.4)):
        labels = [
            str(dice.randrange(4)) if dice.random() < wrong else str(at // 8)
            for at in range(len(words))
        ]
        rows = (f"{word}\t{label}\n" for word, label in zip(words, labels, strict=True))
        (folder / f"{name}.tsv").write_text("".join(rows), encoding="utf-8")
    quads = []
    for _ in range(400):
        verb = dice.choice(["eat", "see", "buy", "take"])
        noun, to = dice.choice(["fish", "man", "book", "soup"]), dice.choice(["with", "of", "in"])
        then = dice.choice(["fork", "hat", "garden", "salt"])
        answer = "N" if to == "of" or (then == "hat") != (dice.random() < 0.1) else "V"
        quads.append(f"{verb} {noun} {to} {then} {answer}\n")
    (folder / "quads.txt").write_text("".join(quads), encoding="utf-8")
    edits = "action\tclass\tword\ttext\tinto\tfield\n"
    edits += "rename\ttee\t\tGetränke\t\t\nmove\ttee\tbuch\t\t\t\n"
    edits += "note\ttee\t\tflüssig\t\tdefinition\n"
    (folder / "edits.tsv").write_text(edits, encoding="utf-8")


def make_sentence(dice: random.Random) -> tuple[str, str, str]:
    """Return a random sentence: subject, verb, object, instrument."""
    kind = dice.choice(list(NOUNS))
    verb = kind if dice.random() < 0.7 else dice.choice(MORE[kind])
    return dice.choice(PEOPLE), verb, dice.choice(NOUNS[kind])


def parse(sentence: tuple[str, str, str]) -> str:
    """Return a sentence as CoNLL-U."""
    who, verb, thing = sentence
    rows = [
        ("Die", "der", "DET", 2, "det"), (who, who, "NOUN", 5, "nsubj"),
        ("will", "wollen", "AUX", 5, "aux"), (thing, thing, "NOUN", 5, "obj"),
        (verb, verb, "VERB", 0, "root"),
    ]  # fmt: skip
    lines = [
        f"{at}\t{form}\t{lemma}\t{tag}\t_\t_\t{head}\t{label}\t_\t_"
        for at, (form, lemma, tag, head, label) in enumerate(rows, 1)
    ]
    return "\n".join([f"# text = Die {who} will {thing} {verb}", *lines, ""]) + "\n"


MATERIAL: dict[str, tuple[str, ...]] = {
    "counts": ("count", "text.conllu", "--relation", "obj", "--relation", "subj", "-o", "counts"),
    "windows": ("count", "text.txt", "other.txt", "--window", "2", "-o", "windows"),
    "t": (
        "build", "text.conllu", "--relation", "obj", "--method", "mdl", "--no-heldout",
        "--min-count", "1", "-o", "t",
    ),
}  # fmt: skip
"""Material made from the texts with roget's own commands."""


def list_jobs() -> dict[str, Job]:
    """Return all jobs by name."""
    texts = ("text.txt", "other.txt", "more.txt")
    parsed = ("text.conllu", "other.conllu", "more.conllu")
    relations = ("--relation", "obj", "--relation", "subj")
    window = ("--window", "2")
    jobs = [
        Job("count text", ("count", *texts, *window, "-o", "out"), "out", texts),
        Job("count to a file", ("count", *texts, *window, "-o", "out.tsv"), "out.tsv", texts),
        Job("count CoNLL-U", ("count", *parsed, *relations, "-o", "out"), "out", parsed),
        Job(
            "count evidence",
            ("count", *parsed, *relations, "--evidence", "2", "-o", "out"),
            "out",
            parsed,
            before="counts",
        ),
        Job(
            "count, two processes",
            ("count", *parsed, *relations, "--processes", "2", "-o", "out"),
            "out",
            parsed,
            pool=True,
        ),
        Job(
            "build from text",
            ("build", *texts, *window, "--min-count", "2", "-o", "out"),
            "out",
            texts,
            early=True,
        ),
        Job(
            "compare",
            ("compare", "gold.tsv", "a=one.tsv", "b=two.tsv", "--ci", "300", "-o", "out.json"),
            "out.json",
            ("gold.tsv", "one.tsv", "two.tsv"),
        ),
        Job("export SKOS", ("export", "t", "-o", "out.ttl"), "out.ttl", ("t",)),
        Job("export booklet", ("export", "t", "-o", "out.html"), "out.html", ("t",), "gold.tsv"),
        Job(
            "attach train",
            ("attach", "train", "--quads", "quads.txt", "--pairs", "counts", "-o", "out"),
            "out",
            ("quads.txt", "counts"),
        ),
        Job(
            "heldout",
            ("heldout", "counts", "--model", "mdl", "--splits", "2", "-o", "out.csv"),
            "out.csv",
            ("counts",),
        ),
        Job("grow", ("grow", "t", "more.conllu"), "t", ("more.conllu",), "t", once=True),
        Job("edit", ("edit", "t", "edits.tsv"), "t", ("edits.tsv",), "t", once=True),
    ]
    for method in catalogue.names("clusterers"):
        build = Job(
            f"build {method}",
            ("build", "windows", "--method", method, "--min-count", "1", "-o", "out"),
            "out",
            ("windows",),
            early=True,
        )
        jobs.append(build)
        if method == "soft":
            jobs.append(replace(build, name="build over another", before="t"))
    return {job.name: job for job in jobs}
