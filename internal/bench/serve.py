"""What PyTorch's side of every measurement of make bench begins with.

A step file follows in the same program and calls serve with a function that
does one step on the given rows of its examples.
"""

import sys
import time

import numpy as np
import torch

BATCH = 128
torch.set_num_threads(1)
torch.manual_seed(1)


def versions():
    return f"PyTorch {torch.__version__}, Python {sys.version.split()[0]}, NumPy {np.__version__}, {torch.get_num_threads()} thread"


def serve(step, examples):
    """Reads lines "STEPS", does that many steps and answers with seconds."""
    for line in sys.stdin:
        rows = torch.randperm(examples)
        begun = time.perf_counter()
        for i in range(int(line)):
            at = i * BATCH % examples
            step(rows[at : at + BATCH])
        print(time.perf_counter() - begun, flush=True)


def training(net, x, y, optimizer):
    """A step of batch, forward, backward and optimizer under cross-entropy."""
    loss_of = torch.nn.CrossEntropyLoss()

    def step(rows):
        loss = loss_of(net(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step
