"""Audits of people's labels compared with cleanlab, and estimates from random checks.

    python3 benchmarks/human_labels.py human clean --features X.npy --names X.txt --people labels.csv \\
        --examples 10000 --out results/human/people.csv

Needs numpy, cleanlab; MNIST in --data. labels.csv has file_name, truth and three columns of labels, such as
CIFAR-10N's; X.npy has features of these photos, and X.txt the file_name of each row. To compute EfficientNet-Lite2's
features of a folder:

    build/losscorr simulate features PHOTOS --view efficientnet-lite2 --out X.npy > X.txt

human audits three kinds of labels: the majority of three people, one person's, and a wrong one if any person gave one.
clean audits true labels.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from common import Results, audit, compared, f1, generator, parser, simulated_checks, workplace
from data_sets import People, mnist, people, write_array

CHECKS, REPEATED = (50, 100, 200, 400), 40  # simulated random checks

Labeller = Callable[[np.ndarray, np.ndarray, np.random.Generator], np.ndarray]  # of the truth [N] and answers [N 3]


def majority(_: np.ndarray, answers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Returns the most frequent answers, with ties broken at random."""

    def vote(row: np.ndarray) -> str:
        names, counts = np.unique(row, return_counts=True)
        return rng.choice(names[counts == counts.max()])

    return np.array([vote(row) for row in answers])


def worst(truth: np.ndarray, answers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Returns a random wrong answer, or the true label if all answers are right."""
    return np.array([rng.choice(row[row != y]) if (row != y).any() else y for y, row in zip(truth, answers)])


def clean_label(truth: np.ndarray, *_: Any) -> np.ndarray:
    return truth


GIVEN: dict[str, Labeller] = {
    "aggregated": majority, "one annotator": lambda _, answers, __: answers[:, 0], "worst of three": worst,
}


def calibration_error(p: np.ndarray, wrong: np.ndarray) -> float:
    """Returns the mean difference between probabilities and the share of wrong labels in ten bins."""
    bins = np.minimum(9, (10 * p).astype(int))
    return float(np.abs(np.bincount(bins, p - wrong, 10)).sum() / len(p))


def checked(work: Path, folder: Path, wrong: np.ndarray) -> dict[str, float]:
    """Simulates random checks by people who know the truth, and returns their means."""
    reply, total = simulated_checks(work, folder, wrong, CHECKS, REPEATED), wrong.sum()
    row = {"calibration_error": calibration_error(np.array(reply["model"]), wrong)}
    for at, checks in enumerate(CHECKS):
        means = []
        for c in reply["counts"][at * REPEATED : (at + 1) * REPEATED]:
            p, covered = np.array(c["p_wrong"]), c["low"] <= total <= c["high"]
            half = (c["high"] - c["low"]) / 2 / max(1, total)
            means.append((covered, half, calibration_error(p, wrong), f1(p > 0.5, wrong)))
        names = ("coverage", "half_width", "calibration_error", "f1")
        row |= {f"checks_{checks}_{name}": float(v) for name, v in zip(names, np.mean(means, axis=0))}
    return row


def measure(work: Path, p: People, name: str, label: Labeller, examples: int, number: int) -> dict[str, Any]:
    """Audits random examples."""
    rng = generator(number)
    rows = np.sort(rng.permutation(len(p.truth))[:examples])
    truth, given = p.truth[rows], label(p.truth[rows], p.answers[rows], rng)
    a = audit(work / "audit", *write_array(work, "people", p.features[rows], given, truth), "--jobs", 1)
    row = {"labels": name, "draw": number + 1, **compared(a, given, truth)}
    return row | checked(work, a.folder, given != truth) | {"seconds": f"{a.seconds:.1f}"}


def people_flags(p: ArgumentParser, required: bool = True) -> None:
    p.add_argument("--features", type=Path, required=required, help="features [N D] of the labelled examples (NPY)")
    p.add_argument("--names", type=Path, required=required, help="text file with the name of each row of the features")
    p.add_argument("--people", type=Path, required=required, help="CSV of file_name, truth and three people's labels")
    p.add_argument("--examples", type=int, default=24000, help="examples per draw")
    p.add_argument("--draws", type=int, default=5, help="draws of examples and labels")


def main() -> None:
    p = parser(__doc__)
    p.add_argument("parts", nargs="+", choices=["human", "clean"])
    people_flags(p)
    flags = p.parse_args()
    work, results = workplace(flags.work), Results(flags.out)
    photos = people(flags.features, flags.names, flags.people)
    if "human" in flags.parts:
        for number in range(flags.draws):  # draw by draw, so that a stopped measurement has complete draws
            for name, label in GIVEN.items():
                results.add(measure(work, photos, name, label, flags.examples, number))
    if "clean" in flags.parts:
        x, truth = mnist(flags.data)
        digits = People(x.astype("float32"), truth, np.empty((len(truth), 0), str))
        for name, data in (("none", photos), ("none (MNIST)", digits)):
            for examples in (500, 3000, 10000):
                for number in range(flags.draws):
                    results.add(measure(work, data, name, clean_label, examples, number))


if __name__ == "__main__":
    main()
