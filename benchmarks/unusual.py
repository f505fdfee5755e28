"""How well the column unusual of issues.csv ranks pictures outside all classes.

    python3 benchmarks/unusual.py --photos cifar10/test --out results/audit/unusual.csv

Needs numpy, pillow; MNIST in --data and a folder of images for each class. It plants 80 pictures of one kind after
another, with random labels, among the photos of all classes except the last two; a fifth of the photos' labels are
wrong. For comparison it also ranks by the distance to the nearest neighbours in the same features.
"""

from __future__ import annotations

import shutil
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from common import Results, audit, average_precision, generator, parser, program, read_table, shuffled_order, workplace
from data_sets import mnist, noisify, photos, symmetric, write_table
from PIL import Image

PLANTED, LEFT_OUT, NEAR = 80, 2, 30
VERY_UNUSUAL = 0.5  # threshold of the program
GREY = 128

Picture = Callable[[], Image.Image]


def strangers(digits: np.ndarray, files: list[Path], others: list[Path]) -> dict[str, Picture]:
    """Returns functions that draw pictures outside all classes, as large as the photos in files. others are photos of
    the classes that are left out."""
    size, rng = Image.open(files[0]).size, generator(0)

    def photo(of: list[Path]) -> Image.Image:
        return Image.open(of[rng.integers(len(of))]).convert("RGB")

    def digit() -> Image.Image:
        return Image.fromarray(digits[rng.integers(len(digits))].reshape(28, 28)).resize(size, Image.Resampling.BICUBIC)

    def half() -> Image.Image:
        image = photo(files).resize(size, Image.Resampling.BICUBIC)
        image.paste((GREY, GREY, GREY), (0, size[1] // 2, *size))
        return image

    return {
        "digits of MNIST": digit,
        "noise": lambda: Image.fromarray(rng.integers(256, size=(*size[::-1], 3)).astype(np.uint8)),
        "one colour": lambda: Image.new("RGB", size, tuple(rng.integers(256, size=3).tolist())),
        "photos whose lower half is grey": half, "photos of two other classes": lambda: photo(others),
    }


def neighbours(x: np.ndarray) -> np.ndarray:
    """Returns the mean distance [N], 1 - cosine, of each row from its nearest neighbours."""
    x, near = x.astype("float32") / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12), []
    for begin in range(0, len(x), 1000):
        cosines = x[begin : begin + 1000] @ x.T
        cosines[np.arange(len(cosines)), begin + np.arange(len(cosines))] = -9  # its own
        near.append(1 - np.partition(cosines, -NEAR, axis=1)[:, -NEAR:].mean(1))
    return np.concatenate(near)


def precisions(score: np.ndarray, planted: np.ndarray) -> tuple[float, float]:
    """Returns the average precision of a ranking, largest first, and its precision at the number of planted."""
    order = shuffled_order(-score, generator(1))
    return average_precision(order, planted), float(planted[order[: planted.sum()]].mean())


def measure(flags: Namespace, work: Path, root: Path, rows: list[tuple[str, str]]) -> dict[str, Any]:
    """Audits a folder of photos and planted pictures; rows has names and labels."""
    labels = write_table(work / "unusual.csv", ["file_name", "label"], rows)
    arguments = [root, "--labels", labels, "--view", flags.view]
    unusual = dict(read_table(audit(work / "audit", *arguments).folder / "issues.csv", "id", "unusual"))
    names = program("simulate", "features", *arguments, "--out", work / "features.npy").splitlines()
    score, planted = np.array([float(unusual[name]) for name in names]), np.array(["/" not in name for name in names])
    own, near = precisions(score, planted), precisions(neighbours(np.load(work / "features.npy")), planted)
    above = score > VERY_UNUSUAL
    return {
        "planted": PLANTED, "average_precision": own[0], "precision": own[1], "neighbours_average_precision": near[0],
        "neighbours_precision": near[1], "above_half": above.sum(), "above_half_planted": (above & planted).sum(),
    }


def main() -> None:
    p = parser(__doc__)
    p.add_argument("--photos", type=Path, required=True, help="folder of folders of images")
    p.add_argument("--view", default="efficientnet-lite2", help="as in losscorr audit")
    flags = p.parse_args()
    work, results, rng = workplace(flags.work), Results(flags.out), generator(2)
    names, truth = photos(flags.photos)
    classes = sorted(set(truth))[:-LEFT_OUT]
    there, files = np.isin(truth, classes), np.array([flags.photos / name for name in names])
    kept, root = np.array(names)[there], work / "unusual"
    for name in kept:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(flags.photos / name, root / name)
    given = noisify(truth[there], symmetric(classes, 0.2), classes)
    for kind, draw in strangers(mnist(flags.data)[0], list(files[there]), list(files[~there])).items():
        planted = [(f"strange-{k:03}.jpg", classes[rng.integers(len(classes))]) for k in range(PLANTED)]
        for name, _ in planted:
            draw().save(root / name, quality=75)
        results.add({"photos": len(kept), "kind": kind, **measure(flags, work, root, [*zip(kept, given), *planted])})


if __name__ == "__main__":
    main()
