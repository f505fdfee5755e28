"""Make labels wrong on purpose."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import _files
from ._program import run


def noisify(labels: Sequence[Any], noise: Any, *, classes: Sequence[Any] | None = None, seed: int = 1) -> np.ndarray:
    """Returns labels [N] with some made wrong.

    noise is "symmetric:.2", "asymmetric:.2" (each class to the next), or T [C C] with
    T[i][j] = P(new label j | label i) for classes, by default the sorted labels.
    """
    with tempfile.TemporaryDirectory(prefix="losscorr-") as name:
        work = Path(name)
        _files.write_labels(work / "labels.csv", labels)
        if not isinstance(noise, str):
            if classes is None:
                classes = sorted(set(_files.scalars(labels)))
            _files.write_matrix(work / "T.csv", noise, _files.texts(list(classes)))
            noise = f"matrix:{work / 'T.csv'}"
        run("noisify", str(work / "labels.csv"), "--noise", noise, "--seed", str(seed), "--out", str(work / "noisy.csv"), progress=False)
        return _files.as_given(_files.read_table(work / "noisy.csv", {"label": str})["label"], labels)
