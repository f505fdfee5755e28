"""crowd-kit: the long table of several people's answers, task, worker, label."""

import numpy as np
import pytest
from conftest import CLASSES, COUNT, TRUTH, run

aggregation = pytest.importorskip("crowdkit.aggregation")


def test_answers(trip):
    import pandas

    rng = np.random.default_rng(3)
    rows = [(f"t{k}", f"w{r}", CLASSES[TRUTH[k] if rng.random() < right else 1 - TRUTH[k]])
            for k in range(COUNT) for r, right in enumerate((0.95, 0.9, 0.85, 0.8, 0.6))]
    answers = pandas.DataFrame(rows, columns=["task", "worker", "label"])
    path = trip.folder / "answers.csv"
    answers.to_csv(path, index=False)
    theirs = aggregation.DawidSkene(n_iter=50).fit_predict(answers)
    run("audit", "--answers", path, "--out", trip.folder / "people", "--quiet")

    consensus = pandas.read_csv(trip.folder / "people" / "consensus.csv").set_index("task")
    assert (consensus["label"] == pandas.Series([CLASSES[y] for y in TRUTH], [f"t{k}" for k in range(COUNT)])).mean() > 0.9
    assert (consensus["label"] == theirs).mean() > 0.9
    written = pandas.read_csv(trip.folder / "people" / "answers.csv")
    order = ["task", "worker"]
    pandas.testing.assert_frame_equal(written[answers.columns].sort_values(order, ignore_index=True), answers.sort_values(order, ignore_index=True))
    again = aggregation.DawidSkene(n_iter=50).fit_predict(written)
    assert (again.sort_index() == theirs.sort_index()).all()
    trip.passed("crowd-kit", "answers, long table", len(rows), "each answer", int((consensus["label"] != theirs).sum()), "DawidSkene on answers.csv; consensus.csv in pandas")
