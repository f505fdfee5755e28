"""How well an audit ranks pictures that belong to none of the classes, by the column unusual of issues.csv.

    python3 benchmarks/unusual.py --photos cifar10/test --out results/audit/unusual.csv

Needs numpy, pillow; MNIST in --data and a folder of images for each class. 80 pictures of each kind in turn, with
random labels, are planted among the photos of all classes but the last two, a fifth of whose labels are wrong. The
distance to the nearest neighbours by the same features ranks beside.
"""

from __future__ import annotations

import shutil
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from common import (
    Results, audit, average_precision, generator, neighbours, parser, program, read_table, shuffled_order, workplace,
)
from data_sets import mnist, noisify, photos, symmetric, write_table
from PIL import Image

PLANTED, LEFT_OUT, NEAR = 80, 2, 30
VERY_UNUSUAL = 0.5  # above which the program calls an example unusual
GREY = 128


@dataclass
class Strangers:
    """Pictures that belong to none of the classes, as large as the photos."""

    size: tuple[int, int]
    digits: np.ndarray
    files: list[Path]  # of the photos
    others: list[Path]  # of the classes that are left out
    rng: np.random.Generator

    def digit(self) -> Image.Image:
        digit = self.digits[self.rng.integers(len(self.digits))].reshape(28, 28)
        return Image.fromarray(digit).resize(self.size, Image.Resampling.BICUBIC)

    def noise(self) -> Image.Image:
        return Image.fromarray(self.rng.integers(256, size=(*self.size[::-1], 3)).astype(np.uint8))

    def colour(self) -> Image.Image:
        return Image.new("RGB", self.size, tuple(int(v) for v in self.rng.integers(256, size=3)))

    def half(self) -> Image.Image:
        photo = Image.open(self.files[self.rng.integers(len(self.files))]).convert("RGB")
        photo = photo.resize(self.size, Image.Resampling.BICUBIC)
        photo.paste((GREY, GREY, GREY), (0, self.size[1] // 2, *self.size))
        return photo

    def other(self) -> Image.Image:
        return Image.open(self.others[self.rng.integers(len(self.others))]).convert("RGB")


KINDS: dict[str, Callable[[Strangers], Image.Image]] = {
    "digits of MNIST": Strangers.digit, "noise": Strangers.noise, "one colour": Strangers.colour,
    "photos whose lower half is grey": Strangers.half, "photos of two other classes": Strangers.other,
}


def plant(flags: Namespace, work: Path, draw: Callable[[Strangers], Image.Image]) -> tuple[Path, Path, int]:
    """Makes a folder of photos and planted pictures and a table of their labels; returns also the number of photos."""
    root, rng = work / "unusual", generator(0)
    shutil.rmtree(root, ignore_errors=True)
    names, truth = photos(flags.photos)
    classes = sorted(set(truth))[:-LEFT_OUT]
    there = np.isin(truth, classes)
    kept, truth = [name for name, is_there in zip(names, there) if is_there], truth[there]
    for name in kept:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(flags.photos / name, root / name)
    given = list(noisify(truth, symmetric(classes, 0.2), classes))
    files = [flags.photos / name for name in kept]
    others = [flags.photos / name for name, is_there in zip(names, there) if not is_there]
    strangers = Strangers(Image.open(files[0]).size, mnist(flags.data)[0], files, others, rng)
    planted = [f"strange-{k:03}.jpg" for k in range(PLANTED)]
    for name in planted:
        draw(strangers).save(root / name, quality=75)
        given.append(classes[rng.integers(len(classes))])
    return root, write_table(work / "unusual.csv", ["file_name", "label"], zip(kept + planted, given)), len(kept)


def precisions(score: np.ndarray, planted: np.ndarray) -> tuple[float, float]:
    """Returns the average precision of a ranking, the largest first, and the precision of as many as are planted."""
    order = shuffled_order(-score, generator(1))
    return average_precision(order, planted), float(planted[order[: planted.sum()]].mean())


def measure(flags: Namespace, work: Path, draw: Callable[[Strangers], Image.Image]) -> dict:
    root, labels, count = plant(flags, work, draw)
    arguments = [root, "--labels", labels, "--view", flags.view]
    a = audit(work / "audit", *arguments)
    unusual = dict(read_table(a.folder / "issues.csv", "id", "unusual"))
    names = program("simulate", "features", *arguments, "--out", work / "features.npy").splitlines()
    score, planted = np.array([float(unusual[name]) for name in names]), np.array(["/" not in name for name in names])
    _, cosines = neighbours(np.load(work / "features.npy"), NEAR)
    own, near = precisions(score, planted), precisions(1 - cosines.mean(1), planted)
    above = score > VERY_UNUSUAL
    return {
        "planted": PLANTED, "average_precision": own[0], "precision": own[1], "neighbours_average_precision": near[0],
        "neighbours_precision": near[1], "above_half": above.sum(), "above_half_planted": (above & planted).sum(),
        "photos": count,
    }


def main() -> None:
    p = parser(__doc__)
    p.add_argument("--photos", type=Path, required=True, help="folder of folders of images")
    p.add_argument("--view", default="efficientnet-lite2", help="as in losscorr audit")
    flags = p.parse_args()
    work, results = workplace(flags.work), Results(flags.out)
    for kind, draw in KINDS.items():
        row = measure(flags, work, draw)
        results.add({"photos": row.pop("photos"), "kind": kind, **row})


if __name__ == "__main__":
    main()
