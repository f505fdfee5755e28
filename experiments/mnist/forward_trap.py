"""How often forward correction, given the true T, ends without one of the classes
5 and 6 at asymmetric noise .6: the same experiment in PyTorch, out of its own
layers and plain operations, so that the finding does not rest on our code.

    python3 experiments/mnist/forward_trap.py 1 64      seeds 1 to 64; torch and numpy

Prints the seeds whose test accuracy is below 90 % after two epochs, and how many
there are. results/README.md discusses the result.
"""

import gzip
import sys

import numpy as np
import torch


def idx(name, offset):
    with gzip.open(f"data/mnist/{name}.gz") as f:
        return np.frombuffer(f.read(), np.uint8, offset=offset)


def images(name):
    return torch.tensor(idx(name, 16).reshape(-1, 784).astype(np.float32) / 255)


def labels(name):
    return torch.tensor(idx(name, 8).astype(np.int64))


def accuracy(seed, x, y, test_x, test_y):
    torch.manual_seed(seed)
    t = torch.eye(10)
    for i, j in [(2, 7), (3, 8), (5, 6), (6, 5), (7, 1)]:
        t[i, i], t[i, j] = 0.4, 0.6
    noisy = torch.multinomial(t[y], 1).squeeze(1)
    train = torch.randperm(len(y))[:54000]

    def linear(fan_in, out):
        layer = torch.nn.Linear(fan_in, out)
        torch.nn.init.trunc_normal_(layer.weight, std=(2 / fan_in) ** 0.5, a=-2 * (2 / fan_in) ** 0.5, b=2 * (2 / fan_in) ** 0.5)
        torch.nn.init.zeros_(layer.bias)
        return layer

    net = torch.nn.Sequential(
        linear(784, 128), torch.nn.ReLU(), torch.nn.Dropout(0.2),
        linear(128, 128), torch.nn.ReLU(), torch.nn.Dropout(0.2),
        linear(128, 10),
    )  # fmt: skip
    optimizer = torch.optim.Adagrad(net.parameters(), lr=0.01, eps=1e-8)
    for _ in range(2):
        for rows in train[torch.randperm(len(train))].split(128):
            p = torch.softmax(net(x[rows]), 1).clamp(1e-7, 1 - 1e-7)
            loss = -torch.log((p @ t).gather(1, noisy[rows, None])).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    net.eval()
    with torch.no_grad():
        return 100 * (net(test_x).argmax(1) == test_y).float().mean().item()


def main():
    torch.set_num_threads(1)
    x, y = images("train-images-idx3-ubyte"), labels("train-labels-idx1-ubyte")
    test_x, test_y = images("t10k-images-idx3-ubyte"), labels("t10k-labels-idx1-ubyte")
    first, last = int(sys.argv[1]), int(sys.argv[2])
    caught = 0
    for seed in range(first, last + 1):
        a = accuracy(seed, x, y, test_x, test_y)
        if a < 90:
            caught += 1
            print(f"seed {seed}: {a:.1f} %", flush=True)
    print(f"{caught} of {last - first + 1} seeds below 90 %")


if __name__ == "__main__":
    main()
