"""Writes golden.json: parameters after each of 20 steps of each optimizer, from
PyTorch, in float64 and float32.

    python generate.py        (golden.json is from torch 2.11.0)

The parameters are a weight [3 2] and a bias [3]; their gradients at step n are
set, not computed: sin of a count for the weight, and cos for the bias, plus a
part of the parameter itself, so that errors accumulate as in training.
"""
import json
import pathlib

import torch


def run(make, dtype, names, steps=20):
    weight = torch.linspace(-1, 1, 6, dtype=dtype).reshape(3, 2).requires_grad_()
    bias = torch.linspace(0.5, -0.5, 3, dtype=dtype).requires_grad_()
    optimizer = make(weight, bias)
    trace = []
    for n in range(steps):
        index = torch.arange(6, dtype=torch.float64) + 6 * n
        weight.grad = torch.sin(index).reshape(3, 2).to(dtype) + 0.1 * weight.detach()
        bias.grad = torch.cos(index[:3]).to(dtype) + 0.1 * bias.detach()
        optimizer.step()
        trace.append(weight.detach().double().flatten().tolist() + bias.detach().double().tolist())
    state = {f"{p}.{k}": optimizer.state[t][k].double().flatten().tolist() for k in names for p, t in (("weight", weight), ("bias", bias))}
    return {"trace": trace, "state": state}


def both(make, *names):
    return {"float64": run(make, torch.float64, names), "float32": run(make, torch.float32, names)}


def groups(decay):
    return lambda w, b: [{"params": [w], "weight_decay": decay}, {"params": [b], "weight_decay": 0.0}]


o = torch.optim
cases = {
    "sgd": both(lambda w, b: o.SGD([w, b], lr=0.05)),
    "sgd decay weights": both(lambda w, b: o.SGD(groups(0.1)(w, b), lr=0.05)),
    "momentum": both(lambda w, b: o.SGD([w, b], lr=0.05, momentum=0.9), "momentum_buffer"),
    "adagrad": both(lambda w, b: o.Adagrad([w, b], lr=0.01, eps=1e-8), "sum"),
    "adam": both(lambda w, b: o.Adam([w, b], lr=0.01), "exp_avg", "exp_avg_sq"),
    "adam decay": both(lambda w, b: o.Adam(groups(0.1)(w, b), lr=0.01, betas=(0.8, 0.99), eps=1e-6), "exp_avg", "exp_avg_sq"),
}
out = {"version": torch.__version__, "cases": cases}
pathlib.Path(__file__).with_name("golden.json").write_text(json.dumps(out, separators=(",", ":")) + "\n")
