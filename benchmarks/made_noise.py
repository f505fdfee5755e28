"""How well an audit finds synthetic wrong labels, compared with cleanlab on the posteriors of its first networks.

    python3 benchmarks/made_noise.py --out results/audit/benchmark.csv
    python3 benchmarks/made_noise.py --only reviews --out results/audit/reviews.csv
    python3 benchmarks/made_noise.py --only photos --photos DIR --views efficientnet-lite2 \\
        --out results/audit/encoder.csv
    python3 benchmarks/made_noise.py --only photos --photos DIR --backbone FILE --out results/audit/photos.csv

Needs numpy, cleanlab; MNIST and IMDB in --data. --photos has a folder of images for each class, such as CIFAR-10's
test images.
"""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
from common import Results, audit, compared, parser, workplace
from data_sets import (
    CIFAR10_FLIPS, DIGITS, MNIST_FLIPS, SENTIMENTS, Texts, asymmetric, mnist, noisify, one_sided, photos, reviews,
    symmetric, write_array, write_table, write_texts,
)

FEW = 3000  # reviews of the small audits
ONE_SIDED = {"30 % of neg": (0.3, 0)}
NOISES = {"symmetric 0.2": (0.2, 0.2), **ONE_SIDED, "10 % of neg, 30 % of pos": (0.1, 0.3)}


class Comparison:
    """Audits of data with known true labels."""

    def __init__(self, flags: Namespace):
        self.flags, self.work, self.results = flags, workplace(flags.work), Results(flags.out)

    def audit(self, data: str, noise: str, arguments: list[Any], given: np.ndarray, truth: np.ndarray) -> None:
        a = audit(self.work / "audit", *arguments)
        row = {"data": data, "noise": noise, **compared(a, given, truth)}
        row["low_over_true"], row["high_over_true"] = (row.pop(end) / row["wrong"] for end in ("low", "high"))
        self.results.add(row | {"seconds": f"{a.seconds:.1f}", "peak_mib": a.peak_mib})

    def mnist(self) -> None:
        x, truth = mnist(self.flags.data)
        for level in (0.2, 0.5):
            self.digits(x, truth, f"symmetric {level}", symmetric(DIGITS, level))
        for level in (0.2, 0.4):
            self.digits(x, truth, f"asymmetric {level}", asymmetric(DIGITS, level, MNIST_FLIPS))

    def digits(self, x: np.ndarray, truth: np.ndarray, noise: str, t: np.ndarray) -> None:
        given = noisify(truth, t, DIGITS)
        self.audit("MNIST", noise, write_array(self.work, "mnist", x, given, truth), given, truth)

    def imdb(self) -> None:
        texts = reviews(self.flags.data, "train")
        self.texts("IMDB", texts, NOISES)
        self.few(texts, [])

    def reviews(self) -> None:
        self.few(reviews(self.flags.data, "train"), self.flags.views or ["tfidf", "words", "minilm", "auto"])

    def few(self, texts: Texts, views: list[str]) -> None:
        """Audits a part of the reviews by each view."""
        some, data = texts.part(np.arange(FEW) * len(texts.ids) // FEW), f"IMDB, {FEW} reviews"
        for view in views:
            self.texts(f"{data}, {view}", some, ONE_SIDED, "--view", view)
        if not views:
            self.texts(data, some, ONE_SIDED)

    def texts(self, data: str, texts: Texts, noises: dict[str, tuple[float, float]], *arguments: str) -> None:
        for noise, shares in noises.items():
            given = noisify(texts.truth, one_sided(*shares), SENTIMENTS)
            table = write_texts(self.work / "texts.csv", texts, given)
            self.audit(data, noise, [*table, *arguments], given, texts.truth)

    def photos(self) -> None:
        """Audits photos by a network trained on them, by the default encoder and, if given, by --backbone."""
        folder = self.flags.photos.resolve()
        names, truth = photos(folder)
        classes = sorted(set(truth))
        known = {"own": "cnn", "efficientnet-lite2": "features of efficientnet-lite2"}
        looks = [(known.get(v, v), ["--view", v]) for v in self.flags.views or known]
        if self.flags.backbone:
            looks.append((f"features of {self.flags.backbone.name}", ["--backbone", self.flags.backbone.resolve()]))
        noises = {"symmetric 0.2": symmetric(classes, 0.2), "asymmetric 0.4": asymmetric(classes, 0.4, CIFAR10_FLIPS)}
        for noise, t in noises.items():
            given = noisify(truth, t, classes)
            table = write_table(self.work / "photos.csv", ["file_name", "label", "truth"], zip(names, given, truth))
            for look, flags in looks:
                arguments = [folder, "--labels", table, "--truth", "truth", *flags]
                self.audit(f"{len(names)} photos, {look}", noise, arguments, given, truth)


def main() -> None:
    p = parser(__doc__, ["mnist", "imdb", "reviews", "photos"])
    p.set_defaults(only=["mnist", "imdb"])
    p.add_argument("--photos", type=Path, help="folder of folders of images")
    p.add_argument("--backbone", type=Path, help="pretrained network for the photos, as in losscorr audit --backbone")
    p.add_argument("--views", nargs="+", help="as in losscorr audit --view (default: views for the kind of data)")
    flags = p.parse_args()
    if "photos" in flags.only and not flags.photos:
        p.error("photos needs --photos")
    comparison = Comparison(flags)
    for part in flags.only:
        getattr(comparison, part)()


if __name__ == "__main__":
    main()
