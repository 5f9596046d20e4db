"""Classes learnt from tables, as the class models take them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from roget import CoMDL, MDLTree
from roget.learn.classmodel.families import learn_family


@pytest.mark.parametrize(("name", "kind"), [("comdl", CoMDL), ("mdl", MDLTree)])
def test_interrupted_classes_are_not_used(
    monkeypatch: pytest.MonkeyPatch, name: str, kind: type
) -> None:
    def stopped(self: Any, X: Any, y: Any = None) -> Any:
        self.interrupted_ = True
        return self

    monkeypatch.setattr(kind, "fit", stopped)
    with pytest.raises(KeyboardInterrupt):
        learn_family(name, np.eye(4) + 1, 0)
