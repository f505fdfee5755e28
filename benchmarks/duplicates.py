"""How many altered copies of photos `losscorr check` finds by pixels, and an audit by features as well.

    python3 benchmarks/duplicates.py --photos cifar10/test --out results/audit/duplicates.csv

Needs numpy, pillow, and a folder of images for each class, 1,200 or more. It plants 150 copies of each kind,
alternately in the test set with the photo's label and in the training set with another label, and prints pairs that
were not planted.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from common import Results, audit, generator, parser, program, read_table, workplace
from data_sets import photos
from PIL import Image, ImageOps

COPIES = 150
Pair = tuple[str, str]


def cropped(image: Image.Image, by: int) -> Image.Image:
    """Crops pixels at each side, and enlarges the rest to the old size."""
    w, h = image.size
    return image.resize((w, h), Image.Resampling.BICUBIC, box=(by, by, w - by, h - by))


def shrunk(image: Image.Image) -> Image.Image:
    w, h = image.size
    return image.resize((w * 3 // 4, h * 3 // 4), Image.Resampling.BICUBIC).resize((w, h), Image.Resampling.BICUBIC)


ALTERATIONS: dict[str, Callable[[Image.Image], Image.Image]] = {
    "mirrored": ImageOps.mirror,
    "a third brighter": lambda image: image.point(lambda v: min(255, v * 4 // 3)),
    "cropped by 1 pixel": lambda image: cropped(image, 1),
    "cropped by 2 pixels": lambda image: cropped(image, 2),
    "cropped by 4 pixels": lambda image: cropped(image, 4),
    "mirrored and cropped by 2 pixels": lambda image: cropped(ImageOps.mirror(image), 2),
    "shrunk to three quarters and enlarged": shrunk,
    "JPEG of quality 35": lambda image: image,
}


def pair(a: str, b: str) -> Pair:
    return min(a, b), max(a, b)


def plant(source: Path, root: Path) -> dict[Pair, str]:
    """Copies photos into root/train and plants altered copies; returns the planted pairs and their kinds."""
    names, truth = photos(source)
    for name in names:
        (root / "train" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, root / "train" / name)
    classes, order, pairs = sorted(set(truth)), generator(0).permutation(len(names)), {}
    for kind, alter in ALTERATIONS.items():
        for k in range(COPIES):
            at = order[len(pairs)]
            other = classes[(classes.index(truth[at]) + 1) % len(classes)]
            place = f"train/{other}" if k % 2 else f"test/{truth[at]}"
            name, original = f"{place}/copy-{len(pairs):04}.jpg", f"train/{names[at]}"
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            image = alter(Image.open(root / original).convert("RGB"))
            image.save(root / name, quality=35 if kind == "JPEG of quality 35" else 75)
            pairs[pair(name, original)] = kind
    return pairs


def main() -> None:
    p = parser(__doc__)
    p.add_argument("--photos", type=Path, required=True, help="folder of folders of images")
    p.add_argument("--view", default="efficientnet-lite2", help="as in losscorr audit")
    flags = p.parse_args()
    work, results = workplace(flags.work), Results(flags.out)
    root, count = work / "copies", len(photos(flags.photos)[0])
    planted = plant(flags.photos, root)
    groups = json.loads(program("check", root, "--json", "--quiet"))["duplicates"]
    by_pixels = {pair(g["examples"][0]["id"], e["id"]) for g in groups for e in g["examples"][1:]}
    a = audit(work / "audit", root, "--view", flags.view)
    found = {pair(x, y) for x, y in read_table(a.folder / "duplicates.csv", "id", "other_id")}

    def add(kind: str, copies: int, counts: Callable[[Pair], bool]) -> None:
        row = {"photos": count, "kind": kind, "copies": copies}
        results.add(row | {"found_by_pixels": sum(map(counts, by_pixels)), "found": sum(map(counts, found))})

    for kind in ALTERATIONS:
        add(kind, COPIES, lambda pair, kind=kind: planted.get(pair) == kind)
    for a, b in sorted(found - set(planted)):
        print(f"  {a} and {b}")

    def copied(pair: Pair) -> bool:
        return any("/copy-" in name for name in pair)

    add("pairs of photos as they were", 0, lambda pair: not copied(pair))
    add("of these with different labels", 0, lambda pair: not copied(pair) and len({Path(x).parent for x in pair}) > 1)
    add("pairs of a copy and another photo", 0, lambda pair: copied(pair) and pair not in planted)


if __name__ == "__main__":
    main()
