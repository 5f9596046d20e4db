"""Mutations: a real input with a few random changes, most of them small, some of them hostile."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

LONG = b"9" * 5000
"""More digits than Python converts to an integer."""

NUMBERS = (
    b"0", b"-0", b"-1", b"1", b"2", b"00", b"-0.0", b"1.5", b"1e5", b"1e-5", b"1e308", b"1e309",
    b"-1e309", b"1e-400", b"nan", b"NaN", b"-nan", b"inf", b"-inf", b"Infinity", b"0x10", b"1_000",
    b"255", b"256", b"32768", b"65536", b"2147483647", b"2147483648", b"4294967296",
    b"9007199254740993", b"9223372036854775807", b"9223372036854775808", b"-9223372036854775808",
    b"-9223372036854775809", b"18446744073709551616", b"3000000", b"1000000000000",
    b"340282366920938463463374607431768211456", b"1e18", b"1e19", b"0.1", b".5", b"5.", b"+1",
    "٣".encode(), "²".encode(), "１２".encode(), b"1,5", b"1 000", b"1/3", b"9" * 400, LONG,
)  # fmt: skip

TOKENS = (
    b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xed\xa0\x80", b"\xff", b"\xc3", b"\x80",
    b"\xf4\x90\x80\x80", b"\xc0\xaf", b"\xe2\x80\xa8", b"\xe2\x80\xa9", b"\xc2\x85", b"\x0b",
    b"\x0c", b"\x1c", b"\x1d", b"\x1e", b"\x1a", b"\r", b"\r\n", b"\n", b"\n\n", b"\t", b"\t\t",
    b" ", b"\xc2\xa0", b"\xe3\x80\x80", b'"', b"'", b'""', b"\\", b"\\u0000", b"\\ud800", b"\\n",
    b"/", b"//", b"..", b"|", b"||", b"#", b"!!", b"%", b"&", b"&amp;", b"@", b"=", b":", b";",
    b",", b",,", b"(", b")", b"[", b"]", b"{", b"}", b"<", b">", b"*", b"?", b"~", b"$", b"_",
    b"-", b"--", b"null", b"None", b"true", b"false", b"[]", b"{}", b"item", b"label", b"weight",
    b"gold", b"system", b"count", b"group", b"word", b"context", b"=1+1",
    "ü".encode(), "u\u0308".encode(), "İ".encode(), "ß".encode(), "\u202e".encode(),
    "\ufeff".encode(), "\U0001f469\u200d\U0001f467".encode(), "א".encode(), "語".encode(),
    b"x" * 300,
)  # fmt: skip

NESTS = (
    (b"[", b"]"),
    (b"(", b")"),
    (b'{"a":', b"}"),
    (b"<a>", b"</a>"),
    (b'"', b'"'),
    (b"(a,", b")"),
)
DEPTHS = (10, 100, 1000, 30_000)

_NUMBER = re.compile(rb"\d+(?:\.\d+)?")
_WORD = re.compile(rb"\w+")


def mutate(random: Random, seeds: Sequence[bytes], tokens: Sequence[bytes] = ()) -> bytes:
    """Return one of the seeds with one or a few changes."""
    seed = seeds[random.randrange(len(seeds))]
    data = bytearray(seed)
    # Half of all inputs have a single change, because these get farthest.
    for _ in range(1 + (random.random() < 0.5) * random.randrange(5)):
        change = CHANGES[random.randrange(len(CHANGES))]
        change(random, data, seeds, tokens)
        if len(data) > 1 << 18:
            del data[1 << 18 :]
    return bytes(data)


def alter_json(random: Random, data: bytes, tokens: Sequence[bytes] = ()) -> bytes:
    """Return the text of a JSON value in which one value is replaced."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):  # an earlier change made it invalid JSON
        return mutate(random, [data], tokens)
    return json.dumps(_alter(random, value)).encode("utf-8", "surrogatepass")


def _alter(random: Random, value: Any) -> Any:
    """Return a JSON value in which a random part is replaced."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        name = random.choice(tuple(value))
        if random.random() < 0.1:
            return {key: one for key, one in value.items() if key != name}
        return {**value, name: _alter(random, value[name])}
    if isinstance(value, list) and value and random.random() < 0.9:
        at = random.randrange(len(value))
        if random.random() < 0.15:
            return value[:at] + value[at + 1 :]
        if random.random() < 0.1:
            return [*value, value[at]]
        return [*value[:at], _alter(random, value[at]), *value[at + 1 :]]
    return random.choice(
        (None, True, False, 0, 1, -1, 2, 1.5, -0.0, float("nan"), float("inf"),
        10**30, 2**63, 10**400,
         "", "x", "\0", "\ud800", [], {}, [[]], [1], {"a": 1}, "9" * 50, 3_000_000, 1e308, 99)
    )  # fmt: skip


def _place(random: Random, data: bytearray) -> int:
    return random.randrange(len(data) + 1)


def _span(random: Random, data: bytearray) -> tuple[int, int]:
    """Return the start and end of a random range, usually a short one."""
    start = random.randrange(len(data) + 1)
    most = len(data) - start
    length = (
        random.randrange(min(most, 8) + 1) if random.random() < 0.7 else random.randrange(most + 1)
    )
    return start, start + length


def flip(random: Random, data: bytearray, *_: object) -> None:
    """Flip a bit."""
    if data:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def overwrite(random: Random, data: bytearray, *_: object) -> None:
    """Replace a byte."""
    if data:
        data[random.randrange(len(data))] = random.randrange(256)


def cut(random: Random, data: bytearray, *_: object) -> None:
    """Remove a range of bytes."""
    start, stop = _span(random, data)
    del data[start:stop]


def truncate(random: Random, data: bytearray, *_: object) -> None:
    """Cut off the end."""
    del data[_place(random, data) :]


def repeat(random: Random, data: bytearray, *_: object) -> None:
    """Repeat a range of bytes, occasionally very often."""
    start, stop = _span(random, data)
    times = random.choice((50, 1000)) if random.random() < 0.02 else 1 + random.randrange(2)
    data[stop:stop] = (bytes(data[start:stop]) * times)[: 1 << 16]


def insert(random: Random, data: bytearray, _: object, tokens: Sequence[bytes]) -> None:
    """Insert a hostile token."""
    at = _place(random, data)
    data[at:at] = _token(random, tokens)


def replace_word(random: Random, data: bytearray, _: object, tokens: Sequence[bytes]) -> None:
    """Replace a word by a hostile token."""
    found = _find(random, data, _WORD)
    if found is not None:
        data[found.start() : found.end()] = _token(random, tokens)


def replace_number(random: Random, data: bytearray, *_: object) -> None:
    """Replace a number by another."""
    found = _find(random, data, _NUMBER)
    if found is not None:
        data[found.start() : found.end()] = NUMBERS[random.randrange(len(NUMBERS))]


def swap_words(random: Random, data: bytearray, *_: object) -> None:
    """Replace a word by another."""
    one, other = _find(random, data, _WORD), _find(random, data, _WORD)
    if one is not None and other is not None:
        data[one.start() : one.end()] = other[0]


def swap_lines(random: Random, data: bytearray, *_: object) -> None:
    """Swap, remove or repeat lines."""
    lines = bytes(data).splitlines(keepends=True)
    if len(lines) > 1:
        i, j = random.randrange(len(lines)), random.randrange(len(lines))
        way = random.randrange(3)
        if way == 0:
            lines[i], lines[j] = lines[j], lines[i]
        elif way == 1:
            del lines[i]
        else:
            lines.insert(j, lines[i])
        data[:] = b"".join(lines)


def splice(random: Random, data: bytearray, seeds: Sequence[bytes], _: object) -> None:
    """Continue with the end of another seed."""
    other = seeds[random.randrange(len(seeds))]
    data[_place(random, data) :] = other[random.randrange(len(other) + 1) :]


def set_bytes(random: Random, data: bytearray, *_: object) -> None:
    """Overwrite 1, 2, 4 or 8 bytes with a number in either byte order, e.g. a wrong length."""
    size = random.choice((1, 2, 4, 8))
    if len(data) >= size:
        at = random.randrange(len(data) - size + 1)
        number = random.choice(
            (0, 1, -1, 127, 128, 255, 256, 65535, 1 << 20, 1 << 31, (1 << 63) - 1)
        )
        order = "little" if random.random() < 0.8 else "big"
        data[at : at + size] = (number % (1 << 8 * size)).to_bytes(size, order)  # type: ignore[arg-type]


def turn_lines(random: Random, data: bytearray, *_: object) -> None:
    """Change line ends."""
    end = random.choice((b"\r", b"\r\n", b"\n\n", b"\xe2\x80\xa8", b"\0", b" \n"))
    data[:] = bytes(data).replace(b"\n", end)


def transcode(random: Random, data: bytearray, *_: object) -> None:
    """Change the encoding, or prepend a byte order mark."""
    way = random.randrange(4)
    if way == 0:
        data[:0] = b"\xef\xbb\xbf"
        return
    text = bytes(data).decode("utf-8", "replace")
    data[:] = text.encode(("utf-16", "latin-1", "utf-32")[way - 1], "replace")


def nest(random: Random, data: bytearray, *_: object) -> None:
    """Nest values in values, sometimes without closing them."""
    depth = DEPTHS[random.choice((0, 0, 0, 0, 1, 1, 1, 2, 2, 3))]
    opened, closed = random.choice(NESTS)
    start, stop = _span(random, data)
    inner = bytes(data[start:stop])
    data[start:stop] = opened * depth + inner + (closed * depth if random.random() < 0.5 else b"")


_COMMON: tuple[Callable[..., None], ...] = (
    flip, overwrite, cut, insert, replace_word, replace_number, swap_words, swap_lines, set_bytes,
)  # fmt: skip
CHANGES: tuple[Callable[..., None], ...] = (
    *_COMMON, *_COMMON, *_COMMON, repeat, repeat, truncate, truncate, splice, turn_lines, transcode,
    nest,
)  # fmt: skip


def _token(random: Random, tokens: Sequence[bytes]) -> bytes:
    if tokens and random.random() < 0.4:
        return tokens[random.randrange(len(tokens))]
    if random.random() < 0.3:
        return NUMBERS[random.randrange(len(NUMBERS))]
    return TOKENS[random.randrange(len(TOKENS))]


def _find(random: Random, data: bytearray, pattern: re.Pattern[bytes]) -> re.Match[bytes] | None:
    """Return a random match: the first one after a random position."""
    if not data:
        return None
    return pattern.search(bytes(data), random.randrange(len(data)))
