"""PyTorch's side of every measurement: reads requests, each a line of JSON, and
answers each with a line of JSON. Arguments: the device, and cpu-time to measure
processor time instead of wall time.

    {"script": TEXT, "data": FOLDER, "arguments": [...]}  {"served": NUMBER}
    {"run": NUMBER, "steps": COUNT}                       {"seconds": TIME}

The first line, {"version": TEXT}, answers the start. A failed request is answered with
{"error": TEXT}. A script can use the names of this file, DATA and ARGUMENTS, and calls
serve with a function that does one step on the given rows of its examples.
"""

import gzip
import json
import os
import sys
import time
import types

import numpy as np
import torch

BATCH = 128
DEVICE = torch.device(sys.argv[1])
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # keep output of libraries out of the answers
if DEVICE.type == "cpu":
    torch.set_num_threads(1)
else:
    torch.cuda.set_device(DEVICE)
torch.manual_seed(1)
served = []
clock = time.process_time if "cpu-time" in sys.argv[2:] else time.perf_counter


def version():
    on = f"{torch.get_num_threads()} thread"
    if DEVICE.type == "cuda":
        on = torch.cuda.get_device_name(DEVICE)
    return f"PyTorch {torch.__version__}, Python {sys.version.split()[0]}, NumPy {np.__version__}, {on}"


def synchronize():
    if DEVICE.type == "cuda":
        torch.cuda.synchronize(DEVICE)


def serve(step, examples):
    """Makes the step available to requests."""

    def run(steps):
        rows = torch.randperm(examples, device=DEVICE)
        synchronize()
        begun = clock()
        for i in range(steps):
            at = i * BATCH % examples
            step(rows[at : at + BATCH])
        synchronize()
        return clock() - begun

    served.append(run)


def mnist(folder, examples):
    """The first images of MNIST as vectors, and their labels."""

    def idx(name, offset):
        with gzip.open(f"{folder}/{name}-ubyte.gz") as f:
            return np.frombuffer(f.read(), np.uint8, offset=offset)

    x, y = idx("train-images-idx3", 16).reshape(-1, 784), idx("train-labels-idx1", 8)
    return x[:examples].astype(np.float32) / 255, y[:examples].astype(np.int64)


def training(net, x, y, optimizer, arguments=()):
    """Returns a step of batch, forward, backward and optimizer with cross-entropy, with
    autocast if "bfloat16" is among the arguments, and compiled if "compile" is. Fails if
    the step cannot be compiled."""
    loss_of = torch.nn.CrossEntropyLoss()
    bfloat16 = "bfloat16" in arguments
    if "compile" in arguments:
        net = torch.compile(net)
        loss_of(net(x[:BATCH]), y[:BATCH]).backward()

    def step(rows):
        with torch.autocast(DEVICE.type, torch.bfloat16, enabled=bfloat16):
            logits = net(x[rows]).float()
        loss = loss_of(logits, y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def answer(request):
    if "run" in request:
        return {"seconds": served[request["run"]](request["steps"])}
    module = types.ModuleType(f"script{len(served)}")  # torch.compile looks up its names
    names = dict(globals(), DATA=request["data"], ARGUMENTS=request["arguments"], __name__=module.__name__)
    module.__dict__.update(names)
    sys.modules[module.__name__] = module
    exec(request["script"], module.__dict__)
    return {"served": len(served) - 1}


def say(reply):
    print(json.dumps(reply), file=answers, flush=True)


say({"version": version()})
for line in sys.stdin:
    try:
        say(answer(json.loads(line)))
    except Exception as e:
        say({"error": f"{type(e).__name__}: {e}"})
