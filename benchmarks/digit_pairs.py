"""Makes a data set of 100 classes from MNIST, as a substitute for CIFAR-100: two digits side by side, whose class is
their number, 00 to 99. As in CIFAR-100, a class has 500 training images and 100 test images.

    python3 benchmarks/digit_pairs.py                                   # numpy; MNIST in data/mnist
    build/losscorr train benchmarks/digit-pairs.yaml --out runs/digit-pairs/runs
    build/losscorr report --format csv runs/digit-pairs/runs            # results/robust/digit-pairs.csv

It writes X.npy [50000 1568] and X_test.npy [10000 1568] as bytes, their labels, and T of noise within superclasses:
the ten pairs with the same first digit are a superclass, and a flip goes to the pair with the next second digit.
"""

from pathlib import Path

import numpy as np
from data_sets import mnist

DATA, OUT = Path("data"), Path("runs/digit-pairs/data")
NAMES = [f"{k:02}" for k in range(100)]


def pairs(part: str, each: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Returns images [100 each, 28 x 56] and classes; a digit may be drawn more than once."""
    images, digits = mnist(DATA, part)
    classes = rng.permutation(np.repeat(np.arange(100), each))
    halves = np.empty((2, len(classes)), int)
    for half, wanted in enumerate((classes // 10, classes % 10)):
        for digit in range(10):
            where = wanted == digit
            halves[half, where] = rng.choice(np.flatnonzero(digits == str(digit)), where.sum())
    pixels = np.concatenate([images[half].reshape(-1, 28, 28) for half in halves], axis=2)
    return pixels.reshape(len(classes), -1), classes


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(1)
    for part, suffix, each in (("train", "", 500), ("t10k", "_test", 100)):
        images, classes = pairs(part, each, rng)
        np.save(OUT / f"X{suffix}.npy", images)
        (OUT / f"y{suffix}.csv").write_text("\n".join(["label", *(NAMES[k] for k in classes)]) + "\n")
    following = [k // 10 * 10 + (k + 1) % 10 for k in range(100)]
    for level in (0.2, 0.6):
        t = (1 - level) * np.eye(100) + level * np.eye(100)[following]
        rows = [[name, *map(repr, row)] for name, row in zip(NAMES, t.tolist())]
        lines = [",".join(row) for row in (["true", *NAMES], *rows)]
        (OUT / f"asymmetric-{level}.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
