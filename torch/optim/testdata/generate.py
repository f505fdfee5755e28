"""Writes golden.json: parameters after each of 20 steps of each optimizer, moving
averages of them, and learning rates by schedule, all from PyTorch, the first two in
float64 and float32.

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


def rated(factor, rate, decay=0.0):
    return lambda w, b: [{"params": [w], "lr": rate, "weight_decay": decay}, {"params": [b], "lr": factor * rate, "weight_decay": 0.0}]


class Model(torch.nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.linspace(-1, 1, 6, dtype=dtype).reshape(3, 2))
        self.bias = torch.nn.Parameter(torch.linspace(0.5, -0.5, 3, dtype=dtype))
        self.register_buffer("running_mean", torch.ones(3, dtype=dtype))


def average(dtype, decay=0.9, steps=20):
    """After each step of SGD the buffer is filled with its number."""
    model = Model(dtype)
    averaged = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(decay))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    trace = []
    for n in range(steps):
        index = torch.arange(6, dtype=torch.float64) + 6 * n
        model.weight.grad = torch.sin(index).reshape(3, 2).to(dtype) + 0.1 * model.weight.detach()
        model.bias.grad = torch.cos(index[:3]).to(dtype) + 0.1 * model.bias.detach()
        optimizer.step()
        model.running_mean.fill_(n)
        averaged.update_parameters(model)
        m = averaged.module
        trace.append([v for t in (m.weight, m.bias, m.running_mean) for v in t.detach().double().flatten().tolist()])
    return {"trace": trace, "state": {k: v.double().flatten().tolist() for k, v in averaged.state_dict().items()}}


def schedule(make, steps, rate=0.1):
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=rate)
    s = make(optimizer)
    rates = []
    for _ in range(steps):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        s.step()
    return rates


o = torch.optim
cases = {
    "sgd": both(lambda w, b: o.SGD([w, b], lr=0.05)),
    "sgd decay weights": both(lambda w, b: o.SGD(groups(0.1)(w, b), lr=0.05)),
    "sgd decay all": both(lambda w, b: o.SGD([w, b], lr=0.05, weight_decay=0.1)),
    "momentum": both(lambda w, b: o.SGD([w, b], lr=0.05, momentum=0.9), "momentum_buffer"),
    "nesterov": both(lambda w, b: o.SGD(groups(0.1)(w, b), lr=0.05, momentum=0.9, nesterov=True), "momentum_buffer"),
    "adagrad": both(lambda w, b: o.Adagrad([w, b], lr=0.01, eps=1e-8), "sum"),
    "adagrad initial": both(lambda w, b: o.Adagrad(groups(0.1)(w, b), lr=0.01, eps=1e-6, initial_accumulator_value=0.1), "sum"),
    "adam": both(lambda w, b: o.Adam([w, b], lr=0.01), "exp_avg", "exp_avg_sq"),
    "adam decay": both(lambda w, b: o.Adam(groups(0.1)(w, b), lr=0.01, betas=(0.8, 0.99), eps=1e-6), "exp_avg", "exp_avg_sq"),
    "adamw": both(lambda w, b: o.AdamW(groups(0.1)(w, b), lr=0.01), "exp_avg", "exp_avg_sq"),
    "rmsprop": both(lambda w, b: o.RMSprop([w, b], lr=0.01), "square_avg"),
    "rmsprop decay": both(lambda w, b: o.RMSprop(groups(0.1)(w, b), lr=0.01, alpha=0.9, eps=1e-6), "square_avg"),
    "rmsprop momentum": both(lambda w, b: o.RMSprop([w, b], lr=0.01, momentum=0.9), "square_avg", "momentum_buffer"),
    "rmsprop centered": both(lambda w, b: o.RMSprop([w, b], lr=0.01, centered=True), "square_avg", "grad_avg"),
    "rmsprop all": both(lambda w, b: o.RMSprop([w, b], lr=0.01, alpha=0.9, momentum=0.5, centered=True, weight_decay=0.1), "square_avg", "grad_avg", "momentum_buffer"),
    "sgd rates": both(lambda w, b: o.SGD(rated(0.1, 0.05, 0.1)(w, b), momentum=0.9), "momentum_buffer"),
    "adagrad rates": both(lambda w, b: o.Adagrad(rated(0.1, 0.01)(w, b)), "sum"),
    "adam rates": both(lambda w, b: o.AdamW(rated(2, 0.01, 0.1)(w, b)), "exp_avg", "exp_avg_sq"),
    "rmsprop rates": both(lambda w, b: o.RMSprop(rated(0.1, 0.01)(w, b)), "square_avg"),
}
averages = {"float64": average(torch.float64), "float32": average(torch.float32)}
r = torch.optim.lr_scheduler
schedules = {
    "constant": schedule(lambda s: r.ConstantLR(s, factor=1), 5),
    "steps": schedule(lambda s: r.MultiStepLR(s, [3, 5], gamma=0.2), 8),
    "cosine": schedule(lambda s: r.CosineAnnealingLR(s, 10), 11),
    "cosine to": schedule(lambda s: r.CosineAnnealingLR(s, 10, eta_min=0.01), 11),
    "linear": schedule(lambda s: r.LinearLR(s, start_factor=1, end_factor=0.2, total_iters=6), 9),
    "warmup": schedule(lambda s: r.LinearLR(s, start_factor=1 / 4, total_iters=3), 8),
    "sequence": schedule(lambda s: r.SequentialLR(s, [r.LinearLR(s, start_factor=1 / 4, total_iters=3), r.CosineAnnealingLR(s, 6)], [4]), 11),
}
out = {"version": torch.__version__, "cases": cases, "averages": averages, "schedules": schedules}
pathlib.Path(__file__).with_name("golden.json").write_text(json.dumps(out, separators=(",", ":")) + "\n")
