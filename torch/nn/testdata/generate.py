"""Writes golden.json: each layer's parameters, input, output and the gradient
of sum(output * weights) with respect to the input, all from PyTorch.

    python generate.py        (golden.json is from torch 2.11.0)
"""
import json
import pathlib

import torch
from torch import nn

torch.manual_seed(1)
torch.set_default_dtype(torch.float64)


def pack(t):
    return {"shape": list(t.shape), "data": [float(f"{v:.12g}") for v in t.detach().double().flatten().tolist()]}


def scrambled(layer):
    # Scales of 1 and biases of 0 would hide what they do.
    for p in layer.parameters():
        nn.init.normal_(p)
    return layer


def case(layer, x, output=lambda y: y, call=lambda layer, x: layer(x)):
    # Every value passes through the text of the file first, so that both sides
    # start from the same numbers.
    with torch.no_grad():
        for t in layer.state_dict().values():
            if t.is_floating_point():
                t.copy_(torch.tensor(pack(t)["data"]).reshape(t.shape))
        if x.is_floating_point():
            x = torch.tensor(pack(x)["data"]).reshape(x.shape)
    state = {k: pack(v) for k, v in layer.state_dict().items() if v.is_floating_point()}
    if x.is_floating_point():
        x.requires_grad_()
    y = output(call(layer, x))
    weights = torch.linspace(-1, 1, y.numel()).reshape(y.shape)
    (y * weights).sum().backward()
    # Deep copies of what training moved.
    after = {k: pack(v) for k, v in layer.state_dict().items() if "running" in k}
    grads = {k: pack(p.grad) for k, p in layer.named_parameters()}
    return {"state": state, "x": pack(x), "y": pack(y), "gx": pack(x.grad) if x.is_floating_point() else None, "grads": grads, "after": after}


def batch_norm(layer, training):
    nn.init.normal_(layer.weight)
    nn.init.normal_(layer.bias)
    nn.init.normal_(layer.running_mean)
    nn.init.uniform_(layer.running_var, 0.5, 2)
    return layer.train(training)


def separate(c):
    # The three input projections one by one.
    for part in (c["state"], c["grads"]):
        for kind in ("weight", "bias"):
            t = part.pop("in_proj_" + kind)
            n = len(t["data"]) // 3
            for i, name in enumerate(("query", "key", "value")):
                part[f"{name}.{kind}"] = {"shape": [t["shape"][0] // 3, *t["shape"][1:]], "data": t["data"][i * n:(i + 1) * n]}
            part["out." + kind] = part.pop("out_proj." + kind)
    return c


cases = {
    "linear": case(nn.Linear(5, 3), torch.randn(4, 5)),
    "conv": case(nn.Conv2d(2, 3, 3, padding=1), torch.randn(2, 2, 5, 5)),
    "batch_norm1d_train": case(batch_norm(nn.BatchNorm1d(3), True), torch.randn(6, 3)),
    "batch_norm1d_eval": case(batch_norm(nn.BatchNorm1d(3), False), torch.randn(6, 3)),
    "batch_norm2d_train": case(batch_norm(nn.BatchNorm2d(2, eps=1e-3, momentum=0.01), True), torch.randn(3, 2, 4, 4)),
    "embedding": case(nn.Embedding(7, 3), torch.tensor([[1, 6, 0], [2, 2, 5]])),
    "lstm": case(nn.LSTM(3, 4, batch_first=True), torch.randn(2, 5, 3), lambda y: y[0][:, -1]),
    "adaptive": case(nn.Sequential(nn.Conv2d(1, 2, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten()), torch.randn(2, 1, 6, 6)),
    "layer_norm": case(scrambled(nn.LayerNorm(4)), torch.randn(2, 3, 4)),
    "attention": separate(case(scrambled(nn.MultiheadAttention(6, 2, batch_first=True)), torch.randn(2, 4, 6), call=lambda m, x: m(x, x, x, need_weights=False)[0])),
}
cases["version"] = torch.__version__
path = pathlib.Path(__file__).with_name("golden.json")
path.write_text(json.dumps(cases, separators=(",", ":")) + "\n")
