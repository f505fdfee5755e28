"""What answers of the review change: audits, answers the first questions with the true labels, audits again with them.

    python3 benchmarks/review_loop.py --photos cifar10-2000 --backbone FILE --out results/audit/loop.csv

Needs numpy; MNIST and IMDB in --data. Data that is missing is left out, and so are photos without --photos (a folder of
images for each class) and --backbone (a pretrained network, as in losscorr audit).
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from common import Results, audit, parser, program, read_table, workplace, write_table
from data_sets import (
    CIFAR10_FLIPS, DIGITS, MNIST_FLIPS, SENTIMENTS, asymmetric, mnist, noisify, one_sided, photos, reviews,
    symmetric, write_array, write_texts,
)

ANSWERS = (0, 20, 100)  # after which the loop audits


@dataclass
class Reviewed:
    """Data whose review is answered."""

    data: str
    noise: str
    arguments: list[Any]  # of losscorr audit
    truth: np.ndarray  # in the order of the data
    t: np.ndarray  # that made the wrong labels


def data_sets(flags: Namespace, work: Path) -> Iterator[Reviewed]:
    yield demo(work / "demo")
    x, truth = mnist(flags.data)
    for noise, t in (("symmetric .2", symmetric(DIGITS, 0.2)), ("asymmetric .6", asymmetric(DIGITS, 0.6, MNIST_FLIPS))):
        yield Reviewed("MNIST", noise, write_array(work, "mnist", x, noisify(truth, t, DIGITS), truth), truth, t)
    if (flags.data / "imdb" / "aclImdb_v1.tar.gz").exists():
        texts, t = reviews(flags.data, "train"), one_sided(0.3, 0)
        given = noisify(texts.truth, t, SENTIMENTS)
        yield Reviewed("IMDB", "30 % of neg", write_texts(work / "texts.csv", texts, given), texts.truth, t)
    if flags.photos and flags.backbone:
        names, truth = photos(flags.photos)
        classes = sorted(set(truth))
        t = asymmetric(classes, 0.4, CIFAR10_FLIPS)
        rows = zip(names, noisify(truth, t, classes), truth)
        table = write_table(work / "photos.csv", ["file_name", "label", "truth"], rows)
        arguments = [flags.photos.resolve(), "--labels", table, "--truth", "truth"]
        arguments += ["--backbone", flags.backbone.resolve()]
        yield Reviewed(f"{len(names)} photos, features of {flags.backbone.name}", "asymmetric .4", arguments, truth, t)


def demo(folder: Path) -> Reviewed:
    program("demo", folder, "--quiet")
    labels = folder / "labels.csv"
    given, truth = np.array(read_table(labels, "label", "truth")).T
    t = np.array([[(given[truth == i] == j).mean() for j in DIGITS] for i in DIGITS])
    arguments = [folder / "images", "--labels", labels, "--truth", "truth", "epochs=12", "batch_size=32"]
    return Reviewed("losscorr demo", "each digit to another, .2", arguments, truth, t)


def answer(d: Reviewed, work: Path, results: Results) -> None:
    ask = None
    for count in ANSWERS:
        arguments = list(d.arguments)
        if count:
            names = read_table(work / "audit" / "labels_corrected.csv", "id")  # in the order of the data
            trusted = write_table(work / "trusted.csv", ["id", "label"], [(*names[k], d.truth[k]) for k in ask[:count]])
            arguments += ["--trusted", trusted]
        a = audit(work / "audit", *arguments, again=count > 0)
        s = a.summary
        ask = ask or s["ask"]
        results.add({
            "data": d.data, "noise": d.noise, "answers": count, "examples": s["examples"],
            "wrong": s["measured"]["wrong"], "expected": f"{s['expected_wrong'] or 0:.1f}",
            "average_precision": s["measured"]["average_precision"], "f1": s["measured"]["f1"],
            "row_error": np.abs(np.array(s["t"]) - d.t).sum(1).mean(), "seconds": f"{a.seconds:.1f}",
        })


def main() -> None:
    p = parser(__doc__)
    p.add_argument("--photos", type=Path, help="folder of folders of images")
    p.add_argument("--backbone", type=Path, help="pretrained network, as in losscorr audit --backbone")
    flags = p.parse_args()
    work, results = workplace(flags.work), Results(flags.out)
    for d in data_sets(flags, work):
        answer(d, work, results)


if __name__ == "__main__":
    main()
