"""Evaluate question sheets that one or more annotators have filled in.

Confidence intervals are Wilson intervals over lines. If several annotators answer a line, the mean
of their answers is one observation. The interval is conservative, in particular if annotators
disagree.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from roget.core.intervals import wilson
from roget.core.io.problems import join_names
from roget.core.io.source import source_of
from roget.core.io.table import Columns, Roles, open_table
from roget.core.io.values import whole_number
from roget.core.types import BoolArray, Ints, PathLike
from roget.errors import InputError
from roget.learn.evaluation.agreement import NONE, measure_agreement, measure_alpha
from roget.learn.evaluation.options import KINDS, MAX_WORDS
from roget.learn.evaluation.sheets import INTRUSION, MADE_UP, READING, Question, QuestionSheet

VERDICTS = ("coherent", "mixed", "junk")
"""Verdicts on whether the words of a line belong together: most, some or none of them."""

UNSURE = "?"
"""Answer of an annotator who is unsure. It is counted as wrong."""

ALL = "all"
"""Name of the row with the mean over annotators."""

_WORDS = {f"word {n}": (f"word{n}",) for n in range(1, MAX_WORDS + 2)}
KEY = Roles({"line": (), "kind": (), "node": (), "answer": ()}, {"class": (), **_WORDS})
"""Columns of a key, i.e. a table of the correct answers."""

FILLED = Roles(
    {"line": ("no", "number"), "answer": ("intruder", "verdict")}, {"words": (), **_WORDS}
)
"""Columns of a question sheet that an annotator has filled in."""


class AgreementShare(NamedTuple):
    """A share of answers, e.g. of correct answers, with its 95 % confidence interval."""

    who: str
    right: float
    items: int
    share: float
    low: float
    high: float


class AnswerLine(NamedTuple):
    """A question, with the answers of the annotators."""

    question: Question
    answered: int
    right: int
    """Number of annotators who found the intruder or judged the words to be coherent."""
    answers: tuple[tuple[str, int], ...]
    """All distinct answers with their counts, most frequent first."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """The questions of a sheet, with the answers of all annotators."""

    kind: str
    questions: tuple[Question, ...]
    people: tuple[str, ...]
    codes: Ints
    """The answers as codes, with shape (annotators, lines).

    A code is the index of the chosen word or verdict. A missing answer has the code −1, and an
    unsure one has the code after the last index.
    """

    @property
    def answered(self) -> BoolArray:
        """A mask of answered lines, with shape (annotators, lines)."""
        return np.asarray(self.codes != NONE)

    @property
    def chance(self) -> float | None:
        """Expected share of intruders found by guessing. None for a reading sheet."""
        if self.kind != INTRUSION:
            return None
        return float(np.mean([1 / len(one.words) for one in self.questions]))

    def share_found(self) -> list[AgreementShare]:
        """Return the share of intruders found by each annotator, and over all annotators."""
        # Find the index of the intruder in each line.
        right = [one.words.index(one.answer) for one in self.questions]
        return self._share(self.codes == np.array(right), np.ones(len(right), dtype=bool))

    def verdicts(self) -> Iterator[tuple[bool, str, list[AgreementShare]]]:
        """Yield (made up, verdict, shares) for lines from classes, then for made-up lines."""
        # Report the verdicts on made-up lines separately, because they are a control.
        is_made_up = np.array([one.answer == MADE_UP for one in self.questions])
        for made_up in (False, True):
            if (is_made_up == made_up).any():
                for code, verdict in enumerate(VERDICTS):
                    shares = self._share(self.codes == code, is_made_up == made_up)
                    yield made_up, verdict, shares

    def lines(self) -> list[AnswerLine]:
        """Return all lines of the sheet with the annotators' answers."""
        found = []
        for question, codes in zip(self.questions, self.codes.T.tolist(), strict=True):
            choices = [*list_choices(self.kind, question), UNSURE]
            counts = Counter(choices[code] for code in codes if code != NONE)
            right = question.answer if self.kind == INTRUSION else VERDICTS[0]
            answers = tuple(counts.most_common())
            found.append(AnswerLine(question, counts.total(), counts[right], answers))
        return found

    @cached_property
    def alpha(self) -> float | None:
        """Krippendorff's α of all answers, or None for a single annotator."""
        return measure_alpha(self.codes)

    @cached_property
    def agreement(self) -> float | None:
        """Fraction of pairs of answers to the same line that agree."""
        return measure_agreement(self.codes)

    def _share(self, good: BoolArray, lines: BoolArray) -> list[AgreementShare]:
        """Return the share of `good` answers, for each annotator and over all annotators."""
        known = self.answered & lines
        rows = [
            (name, float(right.sum()), int(own.sum()))
            for name, right, own in zip(self.people, good & known, known, strict=True)
        ]
        if len(rows) > 1:
            # For the row of all annotators, the mean answer to a line is one observation.
            some = known.any(axis=0)
            means = (good & known).sum(axis=0)[some] / known.sum(axis=0)[some]
            rows.append((ALL, float(means.sum()), int(some.sum())))
        return [
            AgreementShare(name, right, items, right / items, *wilson(right, items))
            for name, right, items in rows
            if items
        ]


def list_choices(kind: str, question: Question) -> tuple[str, ...]:
    """Return the possible answers to a line."""
    return question.words if kind == INTRUSION else VERDICTS


def judge_answers(key: PathLike | QuestionSheet, filled: Mapping[str, PathLike],
                  columns: Columns = None) -> Judgement:  # fmt: skip
    """Compare filled-in sheets with their key.

    Parameters
    ----------
    key
        The key file that was written with the sheet, or the sheet itself.
    filled
        The filled-in sheet of each annotator, by name.
    columns
        Columns of line and answer, if the sheets have no header.

    Raises
    ------
    InputError
        If no line is answered.
    FormatError
        If a sheet does not match the key or has invalid answers. The message lists the lines.
    """
    # Convert each sheet to a row of codes, in the order of the key's lines.
    sheet = key if isinstance(key, QuestionSheet) else read_key(key)
    if not filled:
        raise InputError(
            "no filled-in sheet; pass at least one sheet in addition to the key",
            code="missing-option",
        )
    codes = [read_answers(path, sheet, columns) for path in filled.values()]
    found = Judgement(sheet.kind, sheet.questions, tuple(filled), np.array(codes))
    if not found.answered.any():
        names = join_names([str(path) for path in filled.values()])
        raise InputError(
            f"{names}: no answers found; write the answers in the last column", code="empty-input"
        )
    return found


def split_files(paths: Mapping[str, PathLike]) -> tuple[PathLike, dict[str, PathLike]]:
    """Separate the key from the filled-in sheets by their columns."""
    keys = {name: path for name, path in paths.items() if is_key(path)}
    if len(keys) != 1:
        shown = join_names([str(path) for path in keys.values()]) or "none"
        raise InputError(
            f"{len(keys)} of {len(paths)} files are keys ({shown}); pass exactly one key (written "
            "together with the sheet) and one filled-in sheet per annotator",
            code="invalid-input",
        )
    ((name, key),) = keys.items()
    return key, {other: path for other, path in paths.items() if other != name}


def is_key(path: PathLike) -> bool:
    """Return True if a table has the columns of a key."""
    source = source_of(os.fspath(path))
    try:
        with open_table(source, roles=KEY, guess=True) as table:
            return table.header
    except InputError:
        return False  # The error will be reported when the file is read as a sheet.


def read_key(path: PathLike) -> QuestionSheet:
    """Read a key and return the question sheet with the correct answers."""
    source = source_of(os.fspath(path))
    kinds: set[str] = set()
    questions: dict[int, Question] = {}
    with open_table(source, roles=KEY, guess=True) as table:
        for texts, _, refuse in table.texts():
            words = tuple(texts[name] for name in _WORDS if texts.get(name))
            line, node = _parse_number(texts["line"]), _parse_number(texts["node"])
            kind, answer = texts["kind"].lower(), texts["answer"]
            if line is None or line in questions:
                problem = "duplicate" if line in questions else "invalid"
                refuse(f"{problem} line number {texts['line']!r}")
            elif kind not in KINDS:
                refuse(f"unknown kind of question {texts['kind']!r}; expected {' or '.join(KINDS)}")
            elif kind == INTRUSION and answer not in words:
                refuse(f"the answer {answer!r} is not one of the words")
            elif kind == READING and answer not in ("", MADE_UP):
                refuse(f"the answer is {answer!r}; expected {MADE_UP!r} or an empty field")
            else:
                kinds.add(kind)
                questions[line] = Question(line, node, texts.get("class", ""), words, answer)
    if len(kinds) != 1:
        raise InputError(
            f"{source.name}: expected the same kind of question in all lines, but found "
            f"{len(kinds)} kinds",
            code="invalid-input",
        )
    return QuestionSheet(kinds.pop(), tuple(questions.values()))


def read_answers(path: PathLike, sheet: QuestionSheet, columns: Columns = None) -> list[int]:
    """Read a filled-in sheet, and return the code of each answer (see `Judgement.codes`).

    Lines may be in any order. Blank or missing lines are unanswered. Case is ignored.
    """
    # Match rows to lines by number, and compare their words with the key.
    questions = {one.line: one for one in sheet.questions}
    found: dict[int, int] = {}
    with open_table(path, columns, roles=FILLED, guess=True) as table:
        for texts, _, refuse in table.texts():
            line = _parse_number(texts["line"])
            if line is None or line not in questions:
                last = max(questions)
                refuse(
                    f"the line number is {texts['line']!r}; expected a line number from the key, "
                    f"at most {last}"
                )
            elif other := _find_difference(texts, sheet.kind, questions[line]):
                refuse(f"line {line} has {other}; check that the sheet belongs to this key")
            else:
                wrong, code = _parse_answer(texts["answer"], sheet.kind, questions[line])
                if wrong:
                    refuse(wrong)
                elif found.setdefault(line, code) != code:
                    refuse(f"line {line} has two different answers")
    return [found.get(one.line, NONE) for one in sheet.questions]


def join_words(question: Question) -> str:
    """Join the words of a line with commas."""
    return ", ".join(question.words)


def _parse_number(text: str) -> int | None:
    """Parse an integer, or a number such as 7.0, which some spreadsheets write."""
    return whole_number(text.removesuffix(".0"))


def _find_difference(texts: Mapping[str, str], kind: str, question: Question) -> str:
    """Describe the first word that differs from the key, or return "" if all words agree."""
    if kind == READING:
        shown, right = texts.get("words", ""), join_words(question)
        words = shown.split(", ") if shown.casefold() != right.casefold() else []
    else:
        words = [texts[name] for name in _WORDS if texts.get(name)]
    pairs = zip_longest(words, question.words, fillvalue="") if any(words) else ()
    for one, other in pairs:
        if one.casefold() != other.casefold():
            return f"{one!r} where the key has {other!r}"
    return ""


def _parse_answer(text: str, kind: str, question: Question) -> tuple[str, int]:
    """Return an error message ("" if the answer is valid), and the code of the answer."""
    choices = list_choices(kind, question)
    plain, known = text.casefold(), [one.casefold() for one in choices]
    if not plain:
        return "", NONE
    if plain == UNSURE:
        return "", len(choices)
    if plain in known:
        return "", known.index(plain)
    number = _parse_number(plain)
    if number is not None and 1 <= number <= len(choices):
        return "", number - 1
    # Accept any unambiguous prefix of a verdict.
    begun = [code for code, one in enumerate(known) if kind == READING and one.startswith(plain)]
    if len(begun) == 1:
        return "", begun[0]
    expected = (
        f"{', '.join(choices)}, a number from 1 to {len(choices)}, {UNSURE} or an empty field"
    )
    return f"the answer is {text!r}; expected one of {expected}", NONE


def tabulate_sheet(sheet: QuestionSheet) -> tuple[list[str], list[list[object]]]:
    """Return the column names and rows of a sheet to fill in. The last column is empty."""
    if sheet.kind == READING:
        rows: list[list[object]] = [[one.line, join_words(one), ""] for one in sheet.questions]
        return ["line", "words", "verdict"], rows
    return (
        ["line", *_name_words(sheet.questions), "intruder"],
        [[one.line, *one.words, ""] for one in sheet.questions],
    )


def tabulate_key(sheet: QuestionSheet) -> tuple[list[str], list[list[object]]]:
    """Return the column names and rows of the key."""
    names = _name_words(sheet.questions)
    rows: list[list[object]] = []
    for one in sheet.questions:
        blank = [""] * (len(names) - len(one.words))
        about = [one.line, sheet.kind, "" if one.node is None else one.node, one.label, one.answer]
        rows.append([*about, *one.words, *blank])
    return ["line", "kind", "node", "class", "answer", *names], rows


def _name_words(questions: Sequence[Question]) -> list[str]:
    """Return the names of the columns that contain the words of a line."""
    return [*_WORDS][: max(len(one.words) for one in questions)]
