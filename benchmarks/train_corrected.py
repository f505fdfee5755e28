"""Accuracy on true test labels after training on given labels, corrected labels, and others.

    python3 benchmarks/train_corrected.py --features X.npy --names X.txt --people labels.csv --draws 3 \\
        --examples 10000 --out results/audit/train.csv

Needs numpy; MNIST and IMDB in --data. Missing data is left out. The optional files of people's labels are as for
human_labels.py. Treatments: the given labels with cross-entropy, GCE and ELR; forward correction with the audit's
T-hat; its corrected labels with cross-entropy and GCE; and each label kept with the probability that it is right.
"""

from __future__ import annotations

import shutil
import time
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from common import Results, audit, generator, losscorr, parser, workplace, write_table
from data_sets import (
    DIGITS, MNIST_FLIPS, SENTIMENTS, asymmetric, mnist, noisify, one_sided, people, reviews, symmetric,
)
from human_labels import GIVEN, Labeller, clean_label, people_flags

PLAIN, AUDITED = ["given", "gce", "elr"], ["forward", "corrected", "corrected gce", "kept"]
LOSSES = {"given": "cross-entropy", "corrected": "cross-entropy", "corrected gce": "gce", "kept": "cross-entropy"}


@dataclass
class Pool:
    """Data to draw training and test examples from."""

    name: str
    x: np.ndarray  # features [N D] or texts [N]
    truth: np.ndarray
    answers: np.ndarray  # people's labels [N R]
    train: int  # the first train rows are for training, the rest for testing; if all, rows not drawn are for testing
    labellers: dict[str, Labeller]

    @property
    def texts(self) -> bool:
        return self.x.ndim == 1

    def pick(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        order = rng.permutation(self.train)
        test = order[n:]
        if self.train < len(self.truth):
            test = rng.permutation(len(self.truth) - self.train) + self.train
        return np.sort(order[:n]), np.sort(test[:n])

    def write(self, path: Path, rows: np.ndarray) -> Path:
        if self.texts:
            return write_table(path.with_suffix(".csv"), ["id", "text"], enumerate(self.x[rows]))
        np.save(path.with_suffix(".npy"), self.x[rows])
        return path.with_suffix(".npy")


def by_matrix(t: np.ndarray, classes: list[str]) -> Labeller:
    return lambda truth, _, rng: noisify(truth, t, classes, int(rng.integers(1 << 31)))


def pools(flags: Namespace) -> Iterator[Pool]:
    if flags.features:
        p = people(flags.features, flags.names, flags.people)
        yield Pool("CIFAR-10N", p.features, p.truth, p.answers, len(p.truth), {**GIVEN, "none": clean_label})
    (x, truth), (x_test, truth_test) = mnist(flags.data), mnist(flags.data, "t10k")
    images, truth = np.concatenate([x, x_test]).astype("float32") / np.float32(255), np.concatenate([truth, truth_test])
    noises = {"symmetric 0.2": symmetric(DIGITS, 0.2), "asymmetric 0.4": asymmetric(DIGITS, 0.4, MNIST_FLIPS)}
    made = {name: by_matrix(t, DIGITS) for name, t in noises.items()} | {"none": clean_label}
    yield Pool("MNIST", images, truth, np.empty((len(truth), 0), str), len(x), made)
    if (flags.data / "imdb" / "aclImdb_v1.tar.gz").exists():
        train, test = reviews(flags.data, "train"), reviews(flags.data, "test")
        noises = {"symmetric 0.2": symmetric(SENTIMENTS, 0.2), "30 % of neg": one_sided(0.3, 0)}
        made = {name: by_matrix(t, SENTIMENTS) for name, t in noises.items()} | {"none": clean_label}
        truth = np.concatenate([train.truth, test.truth])
        texts = np.concatenate([train.texts, test.texts])
        yield Pool("IMDB", texts, truth, np.empty((len(truth), 0), str), len(train.truth), made)


def write_labels(path: Path, labels: np.ndarray) -> Path:
    """Writes the labels of examples named by row number."""
    return write_table(path, ["id", "label"], enumerate(labels))


class Trainee:
    """A draw to train on with each treatment."""

    def __init__(self, work: Path, pool: Pool, label: Labeller, number: int, flags: Namespace):
        self.work, self.pool, self.number, self.rng = work, pool, number, generator(number)
        self.rows, tested = pool.pick(flags.examples, self.rng)
        self.given = label(pool.truth[self.rows], pool.answers[self.rows], self.rng)
        self.data = self.write("train", self.rows, self.given)
        test_labels = write_labels(work / "test-labels.csv", pool.truth[tested])
        self.test = ["--test", pool.write(work / "test", tested), "--test-labels", test_labels]
        self.view, self.left = "mlp", 0  # the only view of arrays
        if pool.texts or set(flags.treatments) & set(AUDITED):
            a = audit(work / "audit", *self.data, "--jobs", 1)
            self.found, self.view = a.found, a.summary["views"][0]["name"]
            self.left = int((a.found.labels_corrected != pool.truth[self.rows]).sum())

    def write(self, name: str, rows: np.ndarray, labels: np.ndarray) -> list[Any]:
        """Writes training examples and labels, and returns the arguments that name them."""
        examples = self.pool.write(self.work / name, rows)
        text = ["--text", "text"] if self.pool.texts else []
        return [examples, "--labels", write_labels(self.work / f"{name}-labels.csv", labels), "--id", "id", *text]

    def accuracy(self, treatment: str) -> float:
        """Trains by the audit's best view, and returns the accuracy of the epoch with the best validation loss."""
        data, settings = list(self.data), [f"loss={LOSSES.get(treatment, treatment)}"]
        if treatment == "forward":
            settings.append(f"transition={self.found.folder / 'T_hat.csv'}")
        elif treatment.startswith("corrected"):
            data[data.index("--labels") + 1] = self.found.folder / "labels_corrected.csv"
        elif treatment == "kept":
            kept = self.rng.random(len(self.rows)) >= self.found.p_wrong
            data = self.write("kept", self.rows[kept], self.given[kept])
        out = self.work / "runs"
        shutil.rmtree(out, ignore_errors=True)
        arguments = [*data[1:], *self.test, "--quiet", "--seeds", self.number + 1, "--jobs", 1, "--view", self.view]
        trained = losscorr.train(data[0], *settings, out=out, arguments=list(map(str, arguments)), progress=False)
        (result,) = trained.results.values()
        return result["selected"]["test_accuracy"]


def main() -> None:
    p = parser(__doc__)
    people_flags(p, required=False)
    p.add_argument("--treatments", nargs="+", choices=PLAIN + AUDITED, default=PLAIN + AUDITED)
    flags = p.parse_args()
    work, results, all_pools = workplace(flags.work), Results(flags.out), list(pools(flags))
    for number in range(flags.draws):
        for pool in all_pools:
            for name, label in pool.labellers.items():
                t = Trainee(work, pool, label, number, flags)
                row = {"data": pool.name, "labels": name, "draw": number + 1, "examples": len(t.rows)}
                row |= {"wrong": (t.given != pool.truth[t.rows]).sum(), "left": t.left}
                for treatment in flags.treatments:
                    begun = time.perf_counter()
                    accuracy = t.accuracy(treatment)
                    seconds = time.perf_counter() - begun
                    accuracy = f"{accuracy:.2f}"
                    results.add(row | {"treatment": treatment, "accuracy": accuracy, "seconds": f"{seconds:.1f}"})


if __name__ == "__main__":
    main()
