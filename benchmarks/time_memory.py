"""Prints the time of an audit and of cleanlab with scikit-learn, and the memory of a large audit.

    python3 benchmarks/time_memory.py

Needs numpy, cleanlab, scikit-learn; MNIST in --data. time: both stages of an audit of 60,000 x 784, compared with one
stage by cleanlab on out-of-fold posteriors of scikit-learn's network with the same size, epochs and number of
processes. memory: an audit of 1,000,000 x 512 features in float16, two epochs, ten classes, a fifth of the labels
wrong; needs 1 GB of disk.
"""

from __future__ import annotations

import json
import os
import time
from argparse import Namespace
from pathlib import Path

import numpy as np
from common import audit, generator, parser, workplace, write_table
from data_sets import DIGITS, mnist, noisify, symmetric, write_array

ROUNDS = 3
EXAMPLES, WIDTH, CLASSES = 1_000_000, 512, 10


def measure_time(flags: Namespace, work: Path) -> None:
    x, truth = mnist(flags.data)
    given, jobs = noisify(truth, symmetric(DIGITS, 0.2), DIGITS), os.cpu_count()
    arguments = write_array(work, "mnist", x, given, truth)
    for _ in range(ROUNDS):
        a = audit(work / "audit", *arguments, "--jobs", jobs)
        run = next((a.folder / "runs").glob("*/result.json"))
        other = scikit_learn(x, given, json.loads(run.read_text())["config"]["epochs"], jobs)
        print(f"audit {a.seconds:.1f} s, {a.peak_mib} MiB; cleanlab {other:.1f} s; {jobs} jobs", flush=True)


def scikit_learn(x: np.ndarray, given: np.ndarray, epochs: int, jobs: int) -> float:
    """Returns the seconds of one stage by cleanlab, without the time to import it."""
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores
    from sklearn.model_selection import cross_val_predict
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    begun, numbers = time.perf_counter(), given.astype(int)
    network = MLPClassifier((128, 128), batch_size=128, max_iter=epochs, n_iter_no_change=1000, random_state=1)
    pipeline = make_pipeline(StandardScaler(), network)
    p = cross_val_predict(pipeline, x.astype("float32"), numbers, cv=4, n_jobs=jobs, method="predict_proba")
    find_label_issues(numbers, p, n_jobs=1)
    get_label_quality_scores(numbers, p)
    return time.perf_counter() - begun


def measure_memory(flags: Namespace, work: Path) -> None:
    rng = generator(1)
    truth = rng.integers(CLASSES, size=flags.examples)
    shift = rng.integers(1, CLASSES, size=flags.examples) * (rng.integers(5, size=flags.examples) == 0)
    x = np.lib.format.open_memmap(work / "features.npy", "w+", "float16", (flags.examples, WIDTH))
    for begin in range(0, flags.examples, 10_000):
        y = truth[begin : begin + 10_000, None]
        # Magnitudes from 1 to 1.7; the example's class adds .2.
        x[begin : begin + 10_000] = 1 + 0.7 * rng.random((len(y), WIDTH)) + 0.2 * (np.arange(WIDTH) % CLASSES == y)
    x.flush()
    labels = write_table(work / "labels.csv", ["label", "truth"], zip((truth + shift) % CLASSES, truth))
    a = audit(work / "audit", work / "features.npy", "--labels", labels, "--truth", "truth", "epochs=2")
    precision = a.summary["measured"]["average_precision"]
    print(f"{flags.examples} x {WIDTH}: peak {a.peak_mib} MiB, {a.seconds:.0f} s, average precision {precision:.4f}")


def main() -> None:
    p = parser(__doc__, ["time", "memory"])
    p.add_argument("--examples", type=int, default=EXAMPLES, help="examples of the part memory")
    flags = p.parse_args()
    work = workplace(flags.work)
    for part in flags.only:
        {"time": measure_time, "memory": measure_memory}[part](flags, work)


if __name__ == "__main__":
    main()
