"""Audits of labels that people gave, beside cleanlab, and what random checks of them would count.

    python3 benchmarks/human_labels.py human clean --features X.npy --names X.txt --people labels.csv \\
        --examples 10000 --out results/human/people.csv
    python3 benchmarks/human_labels.py noticed --features X.npy --names X.txt --people labels.csv \\
        --examples 10000 --draws 10 --out results/human/noticed.csv

Needs numpy, cleanlab; MNIST in --data. labels.csv has file_name, truth and three columns of labels, such as
CIFAR-10N's; X.npy has features of these photos, and X.txt the file_name of each row. EfficientNet-Lite2's features of
a folder:

    build/losscorr simulate features PHOTOS --view efficientnet-lite2 --out X.npy > X.txt

human audits three kinds of labels: the majority of three people, one person's, and a wrong one where there is one.
clean audits true labels. noticed audits labels of people and labels made wrong by one T, and writes whether the audit
notices that T does not describe them.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from common import (
    Audited, Results, audit, average_precision, cleanlab_scores, f1, first_stage, generator, model_range, neighbours,
    parser, shuffled_order, simulated_checks, workplace,
)
from data_sets import CIFAR10_FLIPS, DIGITS, MNIST_FLIPS, People, asymmetric, mnist, people, symmetric, write_array

CHECKS, REPEATED = (50, 100, 200, 400), 40  # simulated random checks
NEAR = 30  # neighbours

Labeller = Callable[[str, np.ndarray, np.random.Generator], str]  # of the truth and the people's labels


def majority(_: str, answers: np.ndarray, rng: np.random.Generator) -> str:
    """Returns the most frequent answer, one of them at random where several are."""
    count = Counter(answers)
    best = [a for a in answers if count[a] == max(count.values())]
    return best[rng.integers(len(best))]


def worst(truth: str, answers: np.ndarray, rng: np.random.Generator) -> str:
    """Returns a wrong answer at random, or the true label if there is none."""
    wrong = [a for a in answers if a != truth]
    return wrong[rng.integers(len(wrong))] if wrong else truth


def by_matrix(t: np.ndarray, classes: list[str]) -> Labeller:
    cumulative = np.cumsum(t, axis=1)

    def label(truth: str, _: np.ndarray, rng: np.random.Generator) -> str:
        k = classes.index(truth)
        return classes[min(int(np.searchsorted(cumulative[k], rng.random(), "right")), len(classes) - 1)]

    return label


def clean_label(truth: str, *_: Any) -> str:
    return truth


def first(_: str, answers: np.ndarray, __: np.random.Generator) -> str:
    return answers[0]


GIVEN: dict[str, Labeller] = {"aggregated": majority, "one annotator": first, "worst of three": worst}


def made_wrong(classes: list[str], flips: dict[str, str], title: str = "") -> dict[str, Labeller]:
    """Returns the noises of made_noise.py as ways to label an example."""
    noises = {"symmetric 0.2": symmetric(classes, 0.2), "asymmetric 0.4": asymmetric(classes, 0.4, flips)}
    return {name + title: by_matrix(t, classes) for name, t in noises.items()}


def digits(data: Path, scale: float) -> People:
    """Returns MNIST's training images as numbers from 0 to 255 / scale, without people's labels."""
    x, truth = mnist(data)
    return People(x.astype("float32") / np.float32(scale), truth, np.empty((len(truth), 0), str))


@dataclass
class Draw:
    """Examples that are drawn at random, with their labels and an audit of these."""

    features: np.ndarray
    given: np.ndarray  # class numbers
    wrong: np.ndarray
    audited: Audited
    row: dict[str, Any]


def draw(work: Path, p: People, name: str, label: Labeller, examples: int, number: int) -> Draw:
    rng = generator(number)
    rows = np.sort(rng.permutation(len(p.truth))[:examples])
    given = np.array([label(p.truth[x], p.answers[x], rng) for x in rows])
    wrong, x = given != p.truth[rows], p.features[rows]
    a = audit(work / "audit", *write_array(work, "people", x, given, p.truth[rows]), "--jobs", 1)
    row = {"labels": name, "draw": number + 1, "examples": len(rows), "wrong": wrong.sum(), "weak": a.found.weak}
    low, high = (0.0, 0.0) if a.found.weak else model_range(a.summary)
    expected = 0.0 if a.found.weak else float(a.summary["expected_wrong"] or 0)
    row |= {"expected": expected, "model_low": float(low), "model_high": float(high)}
    return Draw(x, np.array([p.classes.index(y) for y in given]), wrong, a, row)


def neighbours_precision(d: Draw) -> float:
    """Returns the average precision of the share of neighbours with another label."""
    near, _ = neighbours(d.features - d.features.mean(0), NEAR)
    same = (d.given[near] == d.given[:, None]).mean(1) + 1e-6 * np.random.default_rng(0).random(len(d.given))  # no ties
    return average_precision(np.argsort(same, kind="stable"), d.wrong)


def calibration_error(p: np.ndarray, wrong: np.ndarray) -> float:
    """Returns the mean distance of probabilities from the share of wrong labels in ten bins."""
    bins = np.minimum(9, (10 * p).astype(int))
    return float(np.abs(np.bincount(bins, p - wrong, 10)).sum() / len(p))


def checked(work: Path, d: Draw) -> dict[str, float]:
    """Simulates random checks by people who know the truth, and returns their means."""
    reply, truth, row = simulated_checks(work, d.audited.folder, d.wrong, CHECKS, REPEATED), d.wrong.sum(), {}
    row["calibration_error"] = calibration_error(np.array(reply["model"]), d.wrong)
    for at, checks in enumerate(CHECKS):
        means = []
        for c in reply["counts"][at * REPEATED : (at + 1) * REPEATED]:
            p = np.array(c["p_wrong"])
            covered, half = c["low"] <= truth <= c["high"], (c["high"] - c["low"]) / 2 / max(1, truth)
            scores = [f1(p > threshold, d.wrong) for threshold in (0.5, c["threshold"])]
            means.append((covered, half, calibration_error(p, d.wrong), *scores))
        names = ("coverage", "half_width", "calibration_error", "f1", "best_f1")
        row |= {f"checks_{checks}_{name}": float(v) for name, v in zip(names, np.mean(means, axis=0))}
    return row


def judge(work: Path, d: Draw) -> tuple[dict[str, Any], str]:
    """Returns the row of an audited draw beside cleanlab, and cleanlab's version."""
    columns = ["average_precision", "first_stage_average_precision", "cleanlab_average_precision", "cleanlab_score"]
    columns += ["neighbours_average_precision", "f1", "cleanlab_f1"]
    row, version = dict.fromkeys(columns, 0.0) | {"cleanlab_score": ""}, ""
    if d.wrong.any():
        m, all_rows = d.audited.summary["measured"], np.arange(len(d.wrong))
        posteriors = np.load(d.audited.folder / "noisy_probabilities.npy")
        row |= {"average_precision": m["average_precision"], "f1": m["f1"]}
        row["first_stage_average_precision"] = first_stage(posteriors, d.given, all_rows, d.wrong)[:, 0].mean()
        row["neighbours_average_precision"] = neighbours_precision(d)
        if other := cleanlab_scores(posteriors, d.given, all_rows, d.wrong):
            row |= {"cleanlab_average_precision": other["best"], "cleanlab_score": other["score"]}
            row["cleanlab_f1"] = other["f1"]
            version = other["version"]
    return {**d.row, **row, **checked(work, d), "seconds": f"{d.audited.seconds:.1f}"}, version


def human(flags: Namespace, work: Path, results: Results) -> None:
    p = people(flags.features, flags.names, flags.people)
    for number in range(flags.draws):  # draw by draw, so that a measurement that is stopped has whole draws
        for name, label in GIVEN.items():
            row, version = judge(work, draw(work, p, name, label, flags.examples, number))
            results.add({**row, "cleanlab": version})


def clean(flags: Namespace, work: Path, results: Results) -> None:
    photos = people(flags.features, flags.names, flags.people)
    for name, p in (("none", photos), ("none (MNIST)", digits(flags.data, 1))):
        for examples in (500, 3000, 10000):
            for number in range(flags.draws):
                row, version = judge(work, draw(work, p, name, clean_label, examples, number))
                results.add({**row, "cleanlab": version})


def noticed(flags: Namespace, work: Path, results: Results) -> None:
    p, images = people(flags.features, flags.names, flags.people), digits(flags.data, 255)
    kinds = [(p, *k) for k in {**GIVEN, **made_wrong(p.classes, CIFAR10_FLIPS, ", CIFAR-10")}.items()]
    kinds += [(images, *k) for k in made_wrong(DIGITS, MNIST_FLIPS, ", MNIST").items()]
    for number in range(flags.draws):
        for data, name, label in kinds:
            d = draw(work, data, name, label, flags.examples, number)
            signs = d.audited.summary.get("uneven") or {}
            row = d.row | {k: float(signs.get(k, 0)) for k in ("supposed", "seen", "surest", "less", "z")}
            posteriors, rng = np.load(d.audited.folder / "noisy_probabilities.npy"), np.random.default_rng(0)
            own = posteriors[np.arange(len(d.given)), d.given]
            results.add(row | {
                "noticed": signs.get("noticed", False),
                "average_precision": d.audited.summary["measured"]["average_precision"],
                "self_confidence": average_precision(shuffled_order(own, rng), d.wrong),
                "neighbours": neighbours_precision(d), "seconds": f"{d.audited.seconds:.1f}",
            })


def people_flags(p: ArgumentParser, required: bool = True) -> None:
    p.add_argument("--features", type=Path, required=required, help="features [N D] of the labelled examples (NPY)")
    p.add_argument("--names", type=Path, required=required, help="text file with the name of each row of the features")
    p.add_argument("--people", type=Path, required=required, help="CSV of file_name, truth and three people's labels")
    p.add_argument("--examples", type=int, default=24000, help="examples of a draw")
    p.add_argument("--draws", type=int, default=5, help="draws of examples and labels")


def main() -> None:
    p = parser(__doc__)
    p.add_argument("parts", nargs="+", choices=["human", "clean", "noticed"])
    people_flags(p)
    flags = p.parse_args()
    work, results = workplace(flags.work), Results(flags.out)
    for part in flags.parts:
        {"human": human, "clean": clean, "noticed": noticed}[part](flags, work, results)


if __name__ == "__main__":
    main()
