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


cases = {
    "linear": case(nn.Linear(5, 3), torch.randn(4, 5)),
    "linear_no_bias": case(nn.Linear(5, 3, bias=False), torch.randn(2, 4, 5)),
    "conv": case(nn.Conv2d(2, 3, 3, padding=1), torch.randn(2, 2, 5, 5)),
    "conv_stride_groups_dilation": case(nn.Conv2d(4, 6, 3, stride=2, padding=2, dilation=2, groups=2, bias=False), torch.randn(1, 4, 7, 7)),
    "batch_norm1d_train": case(batch_norm(nn.BatchNorm1d(3), True), torch.randn(6, 3)),
    "batch_norm1d_eval": case(batch_norm(nn.BatchNorm1d(3), False), torch.randn(6, 3)),
    "batch_norm2d_train": case(batch_norm(nn.BatchNorm2d(2, eps=1e-3, momentum=0.01), True), torch.randn(3, 2, 4, 4)),
    "embedding": case(nn.Embedding(7, 3), torch.tensor([[1, 6, 0], [2, 2, 5]])),
    "lstm": case(nn.LSTM(3, 4, batch_first=True), torch.randn(2, 5, 3), lambda y: y[0]),
    "lstm_last": case(nn.LSTM(3, 4, batch_first=True), torch.randn(2, 5, 3), lambda y: y[0][:, -1]),
    "lstm_two_layers_both_ways": case(nn.LSTM(3, 2, num_layers=2, bidirectional=True, batch_first=True), torch.randn(2, 4, 3), lambda y: y[0]),
    "lstm_both_ways_last": case(nn.LSTM(3, 2, bidirectional=True, batch_first=True), torch.randn(2, 4, 3), lambda y: torch.cat([y[1][0][-2], y[1][0][-1]], 1)),
    "sequential": case(nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2), nn.AvgPool2d(2, padding=1), nn.Flatten(), nn.Linear(8, 3)), torch.randn(2, 1, 8, 8)),
    "adaptive": case(nn.Sequential(nn.Conv2d(1, 2, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten()), torch.randn(2, 1, 6, 6)),
}
cases |= {
    "layer_norm": case(scrambled(nn.LayerNorm(4)), torch.randn(2, 3, 4)),
    "layer_norm_shape": case(scrambled(nn.LayerNorm([3, 4], eps=1e-3)), torch.randn(2, 3, 4)),
    "layer_norm_not_affine": case(nn.LayerNorm(4, elementwise_affine=False), torch.randn(2, 4)),
    "group_norm": case(scrambled(nn.GroupNorm(2, 4, eps=1e-3)), torch.randn(3, 4, 2, 3)),
    "group_norm_not_affine": case(nn.GroupNorm(4, 4, affine=False), torch.randn(3, 4, 5)),
    "conv1d": case(nn.Conv1d(4, 6, 3, stride=2, padding=2, dilation=2, groups=2), torch.randn(2, 4, 9)),
    "conv_rectangular": case(nn.Conv2d(2, 3, (1, 3), stride=(2, 1), padding=(0, 2), dilation=(1, 2)), torch.randn(2, 2, 5, 5)),
    "conv_transpose": case(nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2), torch.randn(2, 4, 4, 4)),
    "conv_transpose_rectangular": case(nn.ConvTranspose2d(2, 3, (2, 3), stride=(1, 3), padding=(1, 0), output_padding=(0, 2), dilation=(2, 1), bias=False), torch.randn(2, 2, 4, 3)),
    "pool_rectangular": case(nn.Sequential(nn.MaxPool2d((2, 1), stride=(1, 2), padding=(1, 0)), nn.AvgPool2d((1, 2))), torch.randn(2, 2, 5, 7)),
    "upsample": case(nn.Sequential(nn.Upsample(scale_factor=2), nn.Upsample((5, 7), mode="bilinear", align_corners=True)), torch.randn(1, 2, 3, 3)),
    "activations": case(nn.Sequential(nn.GELU(), nn.Linear(5, 4), nn.GELU(approximate="tanh"), nn.SiLU(), nn.LeakyReLU(), nn.LeakyReLU(0.2), nn.Tanh()), torch.randn(3, 5)),
    "attention": case(scrambled(nn.MultiheadAttention(6, 2, batch_first=True)), torch.randn(2, 4, 6), call=lambda m, x: m(x, x, x, need_weights=False)[0]),
    "attention_causal": case(nn.MultiheadAttention(6, 3, bias=False, batch_first=True), torch.randn(2, 4, 6), call=lambda m, x: m(
        x, x, x, need_weights=False, is_causal=True, attn_mask=torch.ones(4, 4, dtype=torch.bool).triu(1))[0]),
    "attention_cross": case(scrambled(nn.MultiheadAttention(6, 2, batch_first=True)), torch.randn(2, 5, 6), call=lambda m, x: m(
        x[:, :2], x[:, 1:], x[:, 1:] * 2, need_weights=False, attn_mask=torch.tensor([[True, False, False, True], [False, True, False, False]]))[0]),
}
cases["version"] = torch.__version__
path = pathlib.Path(__file__).with_name("golden.json")
path.write_text(json.dumps(cases, separators=(",", ":")) + "\n")
