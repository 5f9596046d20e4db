"""Signatures: one-line records of every setting on which a score depends."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from roget._version import __version__
from roget.core.notebook import ReportMixin
from roget.errors import InputError
from roget.scoring.entropy import get as get_estimator
from roget.scoring.labels import AlignedLabels
from roget.scoring.measures.base import Request
from roget.scoring.options import RULES, LabelOptions, Rules


class Signed(ReportMixin):
    """A result with a signature."""

    signature: str
    groups: int

    @property
    def has_tests(self) -> bool:
        """True if differences between systems were tested."""
        return False


def sign_scores(
    sides: AlignedLabels,
    requests: Sequence[Request],
    rules: Rules,
    options: LabelOptions,
    *,
    ci: str = "none",
    seed: int = 0,
    **more: str,
) -> dict[str, str]:
    """Return the fields of a signature, keyed by name.

    `more` contains additional fields. The fields for the noise label and for extra items are
    omitted if they have their default values.
    """
    weighted = {"weighted": "+".join(sides.weighed)} if sides.weighed else {}
    unusual = {} if options.noise is None else {"noise": options.noise}
    if rules.extra != RULES.extra:
        unusual["extra"] = rules.extra
    return {
        "roget": __version__,
        "gold": sides.gold.kind,
        "system": sides.system.kind,
        "average": rules.average if sides.groups is not None else "none",
        "answers": "top" if options.answers == "top" else "given",
        "weights": "per-item" if "weighted" in (sides.gold.kind, sides.system.kind) else "none",
        "missing": rules.missing,
        **sign_measures(requests),
        "ci": ci,
        "seed": str(seed),
        **weighted,
        **sides.signature_parts,
        **more,
        **unusual,
    }


def sign_measures(requests: Sequence[Request]) -> dict[str, str]:
    """Return the signature fields that name the measures and entropy estimators."""
    entropies = list_estimators(requests)
    supports = {get_estimator(name).joint_support for name in entropies}
    named = sorted("CxK" if support == "product" else "seen" for support in supports)
    return {
        "entropy": ",".join(entropies) or "none",
        "support": "+".join(named) or "none",
        "measures": ",".join(dict.fromkeys(str(measure) for measure, _ in requests)),
    }


def list_estimators(requests: Sequence[Request]) -> list[str]:
    """Return the names of the requested entropy estimators."""
    return list(dict.fromkeys(name for _, name in requests if name is not None))


def choose_interval(interval: str) -> str:
    """Return the method for confidence intervals, with `auto` replaced by the jackknife."""
    return "jackknife" if interval == "auto" else interval


JACKKNIFE = "jackknife-t"
"""The name of jackknife intervals in signatures: t quantiles, with correction of bias and skewness.

They do not depend on the number of samples.
"""


def describe_interval(ci: int | None, interval: str, paired: str | None = None) -> str:
    """Return the signature field for confidence intervals and tests of differences.

    >>> describe_interval(1000, "auto"), describe_interval(1000, "bca", "permutation")
    ('jackknife-t', '1000xbca+permutation')
    >>> describe_interval(1000, "auto", "permutation")
    'jackknife-t+1000xpermutation'
    """
    if not ci:
        return "none"
    method = choose_interval(interval)
    if method != "jackknife":
        return f"{ci}x{method}" + (f"+{paired}" if paired else "")
    return JACKKNIFE + (f"+{ci}x{paired}" if paired else "")


def write_signature(parts: Mapping[str, str]) -> str:
    """Write the fields of a signature as one line without spaces."""
    return "|".join(f"{key}:{value}" for key, value in parts.items())


_USUAL = {
    "gold": "hard",
    "system": "hard",
    "average": "none",
    "answers": "given",
    "weights": "none",
    "support": "seen",
    "ci": "none",
    "seed": "0",
}
"""Field values that are defaults. A short signature omits them."""


def change_signature(signature: str, **changed: str) -> str:
    """Return a signature with other values of some fields.

    >>> change_signature("gold:hard|ci:none", ci="jackknife-t")
    'gold:hard|ci:jackknife-t'
    """
    return write_signature(read_signature(signature) | changed)


def shorten_signature(signature: str) -> str:
    """Return a signature without default values and measure names.

    >>> shorten_signature("roget:0.1.0|gold:hard|missing:drop|measures:v|ci:jackknife-t")
    'roget:0.1.0|missing:drop|ci:jackknife-t'
    """
    parts = read_signature(signature)
    parts.pop("measures", None)
    return write_signature({key: at for key, at in parts.items() if _USUAL.get(key) != at})


def read_signature(signature: str) -> dict[str, str]:
    """Return the fields of a signature, keyed by name.

    >>> read_signature("gold:hard|ci:none")
    {'gold': 'hard', 'ci': 'none'}
    """
    return dict(part.partition(":")[::2] for part in signature.split("|"))


_REMEDIES = {
    "items": "; use a rule other than --missing drop or --extra count, so that all systems are "
    "scored on the same items",
}
"""What to do if signatures differ in a field, for use in messages."""


def require_same_signature(
    purpose: str, signed: Mapping[str, Mapping[str, str]], free: Collection[str]
) -> None:
    """Raise InputError if signatures differ in any field that is not in `free`."""
    first, parts = next(iter(signed.items()))
    for name, others in signed.items():
        for key, value in others.items():
            if key not in free and parts.get(key) != value:
                raise InputError(
                    f"{purpose}: {key} is {parts.get(key)} for {first} but {value} for {name}"
                    f"{_REMEDIES.get(key, '')}",
                    code="signature-mismatch",
                )
