"""Answers: filled sheets held against their key, one or several people's.

Lines are what was drawn at random: the answers of several people to one line count as one
observation, their mean, so that the interval of all together is Wilson's over lines. It is on the
safe side, the more so the less they agree.
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
from roget.learn.evaluation.agreement import NONE, measure_alpha, share_alike
from roget.learn.evaluation.options import KINDS, MOST
from roget.learn.evaluation.sheets import INTRUSION, MADE_UP, READING, Question, QuestionSheet

VERDICTS = ("coherent", "mixed", "junk")
"""What readers say of a line: most words belong together, some do, or none."""

UNSURE = "?"
"""The answer of somebody who cannot tell: it is one, and not a right one."""

ALL = "all"
"""The mean over people, line by line."""

_WORDS = {f"word {n}": (f"word{n}",) for n in range(1, MOST + 2)}
KEY = Roles({"line": (), "kind": (), "node": (), "answer": ()}, {"class": (), **_WORDS})
"""The columns of a key."""

FILLED = Roles(
    {"line": ("no", "number"), "answer": ("intruder", "verdict")}, {"words": (), **_WORDS}
)
"""The columns of a sheet that was filled in."""


class AgreementShare(NamedTuple):
    """How much of something there is, with the ends of its 95 % interval."""

    who: str
    right: float
    items: int
    share: float
    low: float
    high: float


class AnswerLine(NamedTuple):
    """What people said of a line."""

    question: Question
    answered: int
    right: int
    """How many found the intruder, or found the words coherent."""
    said: tuple[tuple[str, int], ...]
    """All answers with how many gave them, the most frequent first."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """Questions and everybody's answers."""

    kind: str
    questions: tuple[Question, ...]
    people: tuple[str, ...]
    codes: Ints
    """People × lines: the number of the word or verdict; one more if unsure, −1 without answer."""

    @property
    def answered(self) -> BoolArray:
        """Who answered which line."""
        return np.asarray(self.codes != NONE)

    @property
    def chance(self) -> float | None:
        """The share of intruders that guessing finds."""
        if self.kind != INTRUSION:
            return None
        return float(np.mean([1 / len(one.words) for one in self.questions]))

    def found(self) -> list[AgreementShare]:
        """The share of intruders found, by everybody and by all together."""
        right = [one.words.index(one.answer) for one in self.questions]
        return self._share(self.codes == np.array(right), np.ones(len(right), dtype=bool))

    def verdicts(self) -> Iterator[tuple[bool, str, list[AgreementShare]]]:
        """Of classes, then of lines that are made up (True), the share of each verdict."""
        is_made_up = np.array([one.answer == MADE_UP for one in self.questions])
        for made_up in (False, True):
            if (is_made_up == made_up).any():
                for code, verdict in enumerate(VERDICTS):
                    shares = self._share(self.codes == code, is_made_up == made_up)
                    yield made_up, verdict, shares

    def lines(self) -> list[AnswerLine]:
        """All lines, with what was said of each."""
        found = []
        for question, codes in zip(self.questions, self.codes.T.tolist(), strict=True):
            choices = [*list_choices(self.kind, question), UNSURE]
            said = Counter(choices[code] for code in codes if code != NONE)
            right = question.answer if self.kind == INTRUSION else VERDICTS[0]
            found.append(AnswerLine(question, said.total(), said[right], tuple(said.most_common())))
        return found

    @cached_property
    def alpha(self) -> float | None:
        """Krippendorff's α of all answers; None with one annotator."""
        return measure_alpha(self.codes)

    @cached_property
    def alike(self) -> float | None:
        """How often two people say the same of a line."""
        return share_alike(self.codes)

    def _share(self, good: BoolArray, lines: BoolArray) -> list[AgreementShare]:
        """The share of answers that are good, of everybody and of all together."""
        known = self.answered & lines
        rows = [
            (name, float(right.sum()), int(own.sum()))
            for name, right, own in zip(self.people, good & known, known, strict=True)
        ]
        if len(rows) > 1:
            some = known.any(axis=0)
            means = (good & known).sum(axis=0)[some] / known.sum(axis=0)[some]
            rows.append((ALL, float(means.sum()), int(some.sum())))
        return [
            AgreementShare(name, right, items, right / items, *wilson(right, items))
            for name, right, items in rows
            if items
        ]


def list_choices(kind: str, question: Question) -> tuple[str, ...]:
    """What can be said of a line."""
    return question.words if kind == INTRUSION else VERDICTS


def judge_answers(key: PathLike | QuestionSheet, filled: Mapping[str, PathLike],
                  columns: Columns = None) -> Judgement:  # fmt: skip
    """Hold filled sheets against their key.

    Parameters
    ----------
    key
        The file of answers that was written with the sheet, or the sheet itself.
    filled
        The sheet that each annotator filled in, by name.
    columns
        Which columns of these are line and answer, where they no longer say it.

    Raises
    ------
    InputError
        If nobody answered anything.
    FormatError
        If a sheet is not one of this key, or has answers that are none; it names the lines.
    """
    sheet = key if isinstance(key, QuestionSheet) else read_key(key)
    if not filled:
        raise InputError("no filled sheet: expected one or more beside the key")
    codes = [read_answers(path, sheet, columns) for path in filled.values()]
    found = Judgement(sheet.kind, sheet.questions, tuple(filled), np.array(codes))
    if not found.answered.any():
        names = join_names([str(path) for path in filled.values()])
        raise InputError(f"{names}: no line is answered; expected answers in the last column")
    return found


def split_files(paths: Mapping[str, PathLike]) -> tuple[PathLike, dict[str, PathLike]]:
    """The key and the filled sheets among files, as their columns tell them apart."""
    keys = {name: path for name, path in paths.items() if is_key(path)}
    if len(keys) != 1:
        shown = join_names([str(path) for path in keys.values()]) or "none"
        raise InputError(
            f"{len(keys)} of {len(paths)} files are keys ({shown}): expected one key, as written "
            "with the sheet, and a filled sheet of each annotator"
        )
    ((name, key),) = keys.items()
    return key, {other: path for other, path in paths.items() if other != name}


def is_key(path: PathLike) -> bool:
    """Whether a table has the columns of a key."""
    source = source_of(os.fspath(path))
    try:
        with open_table(source, roles=KEY, guess=True) as table:
            return table.header
    except InputError:
        return False  # what is wrong with it is told when it is read


def read_key(path: PathLike) -> QuestionSheet:
    """The sheet that a key belongs to; broken lines are named."""
    source = source_of(os.fspath(path))
    kinds: set[str] = set()
    questions: dict[int, Question] = {}
    with open_table(source, roles=KEY, guess=True) as table:
        for texts, _, refuse in table.texts():
            words = tuple(texts[name] for name in _WORDS if texts.get(name))
            line, node = _parse_number(texts["line"]), _parse_number(texts["node"])
            kind, answer = texts["kind"].lower(), texts["answer"]
            if line is None or line in questions:
                again = "a line that was there before" if line in questions else "no line number"
                refuse(f"{texts['line']!r} is {again}")
            elif kind not in KINDS:
                refuse(f"the kind is {texts['kind']!r}; expected {' or '.join(KINDS)}")
            elif kind == INTRUSION and answer not in words:
                refuse(f"the answer {answer!r} is none of the words")
            elif kind == READING and answer not in ("", MADE_UP):
                refuse(f"the answer is {answer!r}; expected {MADE_UP!r} or nothing")
            else:
                kinds.add(kind)
                questions[line] = Question(line, node, texts.get("class", ""), words, answer)
    if len(kinds) != 1:
        raise InputError(f"{source.name}: expected lines of one kind, found {len(kinds)} kinds")
    return QuestionSheet(kinds.pop(), tuple(questions.values()))


def read_answers(path: PathLike, sheet: QuestionSheet, columns: Columns = None) -> list[int]:
    """What a filled sheet says of each line of a sheet, by number: see `Judgement.codes`.

    Lines may be in any order, and blank or lacking, which is no answer; capitals do not matter.
    """
    asked = {one.line: one for one in sheet.questions}
    found: dict[int, int] = {}
    with open_table(path, columns, roles=FILLED, guess=True) as table:
        for texts, _, refuse in table.texts():
            line = _parse_number(texts["line"])
            if line is None or line not in asked:
                last = max(asked)
                refuse(f"the line is {texts['line']!r}; expected a number of the key, up to {last}")
            elif other := _find_difference(texts, sheet.kind, asked[line]):
                refuse(f"line {line} has {other}: of another sheet?")
            else:
                wrong, code = _parse_answer(texts["answer"], sheet.kind, asked[line])
                if wrong:
                    refuse(wrong)
                elif found.setdefault(line, code) != code:
                    refuse(f"line {line} was answered otherwise before")
    return [found.get(one.line, NONE) for one in sheet.questions]


def join_words(question: Question) -> str:
    """The words of a line as one text."""
    return ", ".join(question.words)


def _parse_number(text: str) -> int | None:
    """A whole number, as spreadsheets may write it too: 7 or 7.0."""
    return whole_number(text.removesuffix(".0"))


def _find_difference(texts: Mapping[str, str], kind: str, question: Question) -> str:
    """The first word of a row that is not that of a line, as far as it has any; "" for none."""
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


def _parse_answer(said: str, kind: str, question: Question) -> tuple[str, int]:
    """What is wrong with an answer, if anything, and its number."""
    choices = list_choices(kind, question)
    plain, known = said.casefold(), [one.casefold() for one in choices]
    if not plain:
        return "", NONE
    if plain == UNSURE:
        return "", len(choices)
    if plain in known:
        return "", known.index(plain)
    number = _parse_number(plain)
    if number is not None and 1 <= number <= len(choices):
        return "", number - 1
    begun = [code for code, one in enumerate(known) if kind == READING and one.startswith(plain)]
    if len(begun) == 1:
        return "", begun[0]
    expected = f"{', '.join(choices)}, a number from 1 to {len(choices)}, {UNSURE} or nothing"
    return f"the answer is {said!r}; expected one of {expected}", NONE


def tabulate_sheet(sheet: QuestionSheet) -> tuple[list[str], list[list[object]]]:
    """The columns and rows that people fill in: the last is empty."""
    if sheet.kind == READING:
        rows: list[list[object]] = [[one.line, join_words(one), ""] for one in sheet.questions]
        return ["line", "words", "verdict"], rows
    return (
        ["line", *_name_words(sheet.questions), "intruder"],
        [[one.line, *one.words, ""] for one in sheet.questions],
    )


def tabulate_key(sheet: QuestionSheet) -> tuple[list[str], list[list[object]]]:
    """The columns and rows of the key."""
    names = _name_words(sheet.questions)
    rows: list[list[object]] = []
    for one in sheet.questions:
        blank = [""] * (len(names) - len(one.words))
        about = [one.line, sheet.kind, "" if one.node is None else one.node, one.label, one.answer]
        rows.append([*about, *one.words, *blank])
    return ["line", "kind", "node", "class", "answer", *names], rows


def _name_words(questions: Sequence[Question]) -> list[str]:
    return [*_WORDS][: max(len(one.words) for one in questions)]
