"""The table of docs/python.md: both calls of each row are made on the same labels, and their results compared."""

import contextlib
import io
import os
import re
from pathlib import Path

import losscorr
import numpy as np
import pytest

torch = os.environ.get("LOSSCORR_TEST_TORCH") == "with"
if not torch:  # make -f .ci/checks.mk test-wheel installs cleanlab beside torch
    pytest.importorskip("cleanlab")
from cleanlab.benchmarking.noise_generation import generate_noisy_labels  # noqa: E402
from cleanlab.classification import CleanLearning  # noqa: E402
from cleanlab.count import (  # noqa: E402
    compute_confident_joint,
    estimate_latent,
    estimate_py_noise_matrices_and_cv_pred_proba,
)
from cleanlab.datalab.datalab import Datalab  # noqa: E402
from cleanlab.dataset import health_summary, overall_label_health_score  # noqa: E402
from cleanlab.filter import find_label_issues  # noqa: E402
from cleanlab.rank import get_label_quality_scores  # noqa: E402

page = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")
table = page[page.index("| cleanlab | losscorr |") :]
rows = [re.findall(r"`([^`]+)`", line) for line in re.findall(r"^\| `.*\|$", table, re.M)]
T = np.array([[0.7, 0.3, 0], [0, 0.9, 0.1], [0.2, 0, 0.8]])


@pytest.fixture(scope="module")
def values():
    """The names that the table uses, and each call's result by its text."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 1500)
    labels = losscorr.noisify(truth, T, seed=4)
    clean = np.full((1500, 3), 0.04)
    clean[np.arange(1500), truth] = 0.92
    X = rng.normal(size=(1500, 6)).astype(np.float32)
    X[np.arange(1500), truth] += 5
    pred_probs = clean @ T
    found = losscorr.audit(labels, pred_probs, truth=truth, progress=False)
    return dict(globals(), truth=truth, labels=labels, X=X, pred_probs=pred_probs, found=found, noise_matrix=T.T)


def mask(left, right, v):
    assert left.dtype == right.dtype == bool
    assert (left == right).mean() > 0.97


def ranking(left, right, v):
    wrong = set(np.flatnonzero(v["labels"] != v["truth"]))
    top = len(left) // 2  # cleanlab lists those that it reports, losscorr all
    assert np.mean([i in wrong for i in left[:top]]) > 0.95
    assert np.mean([i in wrong for i in right[:top]]) > 0.95


def scores(left, right, v):
    wrong = v["labels"] != v["truth"]
    assert left.shape == right.shape == wrong.shape
    for s in (left, right):
        assert 0 <= s.min() and s.max() <= 1 and s[wrong].max() < s[~wrong].min()


def matrix(left, right, v):
    """Both have given classes as rows here."""
    assert np.abs(left.sum(0) - 1).max() < 1e-3 and np.abs(right.sum(0) - 1).max() < 1e-3
    assert np.abs(left - T.T).max() < 0.1 and np.abs(right - T.T).max() < 0.1


def trained(left, right, v):
    assert (left.predict(v["X"]) == v["truth"]).mean() > 0.97
    assert {w.shape[-1] for w in right.weights().values() if w.ndim == 2} >= {6}


def summary(left, right, v):
    assert left["overall_label_health_score"] == pytest.approx(1 - right["flagged"] / right["examples"], abs=0.06)


def rate(left, right, v):
    truth = (v["labels"] == v["truth"]).mean()
    assert left == pytest.approx(truth, abs=0.05) and right == pytest.approx(truth, abs=0.05)


def noisy(left, right, v):
    for given in (left, right):
        drawn = np.array([[np.mean(given[v["truth"] == i] == j) for j in range(3)] for i in range(3)])
        assert np.abs(drawn - T).max() < 0.06


def issues(left, right, v):
    """Datalab keeps its issues; find_issues returns None."""
    assert left is None and len(right) == len(v["labels"])


checks = [mask, ranking, scores, matrix, matrix, trained, summary, rate, noisy, issues]
needs_torch = {checks.index(matrix), checks.index(trained)}


def test_table_has_ten_rows():
    assert len(rows) == len(checks) == 10


@pytest.mark.parametrize("row", range(10), ids=[f"{check.__name__}-{i}" for i, check in enumerate(checks)])
def test_row(row, values):
    check = checks[row]
    if row in needs_torch and not torch:
        pytest.skip("no torch beside the package")
    with contextlib.redirect_stdout(io.StringIO()):
        left, right = (eval(cell, values) for cell in rows[row][:2])
    check(left, right, values)
