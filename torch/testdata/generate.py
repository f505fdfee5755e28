"""Writes golden.json, what PyTorch computes for each case of ops_test.go, and
python.safetensors, a file of every dtype written by Python's safetensors.

    python generate.py        (the files are from torch 2.11.0, safetensors 0.8)

A case is named as the Go method, with a word more where there are several. Its
inputs are named below; its outputs are stored with their dtypes.
"""
import json
import pathlib

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

torch.manual_seed(1)
torch.set_default_dtype(torch.float64)
here = pathlib.Path(__file__).parent

def normal(*shape):
    return torch.round(torch.randn(*shape), decimals=3)

inputs = {
    "a": normal(2, 3),
    "b": normal(2, 3),
    "pos": torch.round(torch.rand(2, 3) + 0.2, decimals=3),
    "row": normal(3),
    "one": normal(1),
    "cube": normal(2, 3, 4),
    "cube2": normal(2, 4, 2),
    "square": normal(3, 3) + 3 * torch.eye(3),
    "mat": normal(3, 2),
    "image": normal(2, 2, 5, 5),
    "kernel": normal(3, 2, 3, 3),
    "kernel_grouped": normal(4, 1, 2, 2),
    "bias3": normal(3),
    "bias4": normal(4),
    "weight": normal(4, 3),
    "two": normal(2),
    "two2": normal(2),
    "table": normal(5, 3),
    "logits": normal(4, 3),
    "classes": torch.tensor([0, 2, 1, 2]),
    "rows": torch.tensor([1, 0, 1]),
    "grid": torch.tensor([[2, 0, 1], [1, 1, 0]]),
    "rows_of_grid": torch.tensor([[0, 1, 0]]),
    "grid32": torch.tensor([[2, 0, 4], [1, 1, 0]], dtype=torch.int32),
    "mask": torch.tensor([[True, False, True], [False, True, True]]),
    "special": torch.tensor([0.0, -0.0, float("inf"), float("-inf"), float("nan"), 2.5, -2.5, 1e-300, 3.5]),
    "fractions": torch.tensor([1 / 3, -2.7, 65504.0, 1e5, 1e-8, 2049.0, 257.0, -0.0]),
    "whole": torch.tensor([0.0, 1.0, 2.0, 100.0, 255.0]),
    "duplicates": torch.tensor([[3.0, 1.0, 3.0, 2.0], [0.0, 0.0, -1.0, 5.0]]),
    "sequence": normal(2, 4, 3),
    "h0": normal(1, 2, 2),
    "c0": normal(1, 2, 2),
    "w_ih": normal(8, 3),
    "w_hh": normal(8, 2),
    "b_ih": normal(8),
    "b_hh": normal(8),
    "single": normal(2, 3).float(),
    "line": normal(1, 3),
    "query": normal(2, 2, 3, 4),
    "key": normal(2, 2, 5, 4),
    "value": normal(2, 2, 5, 3),
    "query_mask": torch.tensor([[True, False, True, True, False], [False, True, True, False, True], [True, True, True, True, True]]),
    "query_mask_empty": torch.tensor([[True, False, True, True, False], [False] * 5, [True, True, False, False, True]]),
    "query_bias": normal(2, 1, 3, 5),
    "scale34": normal(3, 4),
    "shift34": normal(3, 4),
}
cases = {}

def pack(t):
    # JSON has no infinities: they travel as text.
    data = [v if v == v and abs(v) != float("inf") else str(v) for v in map(float, t.detach().double().flatten().tolist())]
    return {"dtype": str(t.dtype).removeprefix("torch."), "shape": list(t.shape), "data": data}

def case(name, arguments, f):
    names = arguments.split()
    out = f(*(inputs[n] for n in names))
    outs = list(out) if isinstance(out, (tuple, list)) else [out]
    assert name not in cases, name
    cases[name] = {"in": names, "out": [pack(t) for t in outs]}

# Making
f64 = torch.float64
case("Full", "", lambda: torch.full((2, 2), 1.5))
case("Zeros", "", lambda: torch.zeros(3, dtype=torch.int32))
case("Ones", "", lambda: torch.ones(2, 1, dtype=torch.bool))
case("ZerosLike", "single", torch.zeros_like)
case("Scalar", "", lambda: torch.tensor(2.5, dtype=torch.float32))
case("Arange", "", lambda: torch.arange(1, 2, 0.3))
case("Arange whole", "", lambda: torch.arange(5, -1, -2))
case("Linspace", "", lambda: torch.linspace(-1, 2, 7))
case("Eye", "", lambda: torch.eye(3))
case("To", "a", lambda a: a.to(torch.float32))
for d in ("float32", "float64", "bfloat16", "float16"):
    case("ToDType " + d, "fractions", lambda x, d=d: x.to(getattr(torch, d)))
for d in ("int64", "int32", "uint8", "bool"):
    case("ToDType " + d, "whole", lambda x, d=d: x.to(getattr(torch, d)))
case("ToDevice", "a", lambda a: a)
case("Upload", "a", lambda a: a.to(torch.float32))
case("Clone", "a", torch.clone)
case("Contiguous", "a", lambda a: a.T.contiguous())
case("ChannelsLast", "image", lambda x: x)
case("CopyFrom", "a row", lambda a, r: a.clone().copy_(r))
case("Fill", "a", lambda a: a.clone().fill_(7))
case("Detach", "a", lambda a: a)
case("SetRequiresGrad", "a", lambda a: a)
case("Keep", "a", lambda a: a)

# Views
case("Reshape", "cube", lambda x: x.reshape(4, -1))
case("Reshape scalar", "one", lambda x: x.reshape(()))
case("View", "cube", lambda x: x.view(6, 4))
case("Expand", "row", lambda x: x.expand(2, -1))
case("Transpose", "cube", lambda x: x.transpose(0, -1))
case("T", "a", lambda x: x.T)
case("Squeeze", "h0", lambda x: x.squeeze(0))
case("Unsqueeze", "a", lambda x: x.unsqueeze(-1))
case("Flatten", "cube", lambda x: x.flatten(1, -1))
case("Narrow", "cube", lambda x: x.narrow(2, 1, 2))
case("Select", "cube", lambda x: x.select(1, -1))
case("SliceDim", "cube", lambda x: x[:, :, 1:4:2])
case("Pad", "a", lambda x: F.pad(x, (1, 0, 0, 2), value=9.0))
case("Diagonal", "square", lambda x: x.diagonal())
case("Cat", "a b", lambda a, b: torch.cat([a, b], 1))
case("Stack", "a b", lambda a, b: torch.stack([a, b], 1))

# Indexing
case("IndexSelect", "a rows", lambda a, i: a.index_select(0, i))
case("Gather", "a grid", lambda a, i: a.gather(1, i))
case("ScatterInPlace", "a rows_of_grid line", lambda a, i, s: a.scatter(0, i, s))
case("ScatterValue", "a rows_of_grid", lambda a, i: a.scatter(0, i, 2.5))

# One operand
for go, f in {
    "Neg": torch.neg, "Abs": torch.abs, "Exp": torch.exp, "Square": torch.square, "Sigmoid": torch.sigmoid, "ReLU": torch.relu, "GELU": F.gelu,
}.items():
    case(go, "a", f)
for go, f in {"Log": torch.log, "Log1p": torch.log1p, "Sqrt": torch.sqrt}.items():
    case(go, "pos", f)
for go, f in {"ReLU special": torch.relu, "Exp special": torch.exp, "GELU special": F.gelu}.items():
    case(go, "special", f)
case("Clamp", "a", lambda a: a.clamp(-0.5, 0.5))
case("ClampMin", "a", lambda a: a.clamp_min(-0.25))

# Two operands
for go, f in {"Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "Maximum": torch.maximum}.items():
    case(go, "a b", f)
    case(go + " broadcast", "a row", f)
case("Add promoted", "single grid", torch.add)
case("Div", "a pos", torch.div)
for go, f in {"Eq": torch.eq, "Ne": torch.ne}.items():
    case(go, "grid grid32", f)
    case(go + "Scalar", "grid", lambda g, f=f: f(g, 1))
case("AddScalar", "a", lambda a: a + 1.5)
case("AddScalar whole", "grid", lambda g: g + 2)
case("SubScalar", "a", lambda a: a - 1.5)
case("MulScalar", "a", lambda a: a * 1.5)
case("DivScalar", "a", lambda a: a / 1.5)
case("AddInPlace", "a b", lambda a, b: a + 0.5 * b)
case("MulScalarInPlace", "a", lambda a: a * 3)

# Reductions
for go, f in {"Sum": torch.sum, "Mean": torch.mean}.items():
    case(go, "cube", f)
    case(go + " dims", "cube", lambda x, f=f: f(x, dim=(0, -1)))
    case(go + "Keep", "cube", lambda x, f=f: f(x, dim=(1,), keepdim=True))
for go, f in {"Amax": torch.amax, "Amin": torch.amin, "LogSumExp": torch.logsumexp}.items():
    case(go, "cube", lambda x, f=f: f(x, dim=(0, 1, 2)))
    case(go + " dims", "cube", lambda x, f=f: f(x, dim=(0, -1)))
case("LogSumExpKeep", "cube", lambda x: torch.logsumexp(x, dim=(1,), keepdim=True))
case("Sum whole", "grid", torch.sum)
case("Sum mask", "mask", torch.sum)
case("Norm", "cube", lambda x: torch.linalg.vector_norm(x, 2, dim=(0, 2)))
case("Norm one", "cube", lambda x: torch.linalg.vector_norm(x, 1))
case("All", "mask", torch.all)
case("Argmax", "cube", lambda x: x.argmax(1))
case("Softmax", "cube", lambda x: x.softmax(-1))
case("LogSoftmax", "cube", lambda x: x.log_softmax(1))
case("Sort", "duplicates", lambda x: x.sort(dim=1, stable=True))
case("Sort descending", "duplicates", lambda x: x.sort(dim=1, descending=True, stable=True))
case("TopK", "cube", lambda x: x.topk(2, dim=2))

# Linear algebra
case("Mm", "square mat", torch.mm)
case("Bmm", "cube cube2", torch.bmm)
case("Solve", "square mat", torch.linalg.solve)
case("Linear", "a weight bias4", F.linear)
case("Linear no bias", "a weight", F.linear)
case("Inverse", "square", torch.linalg.inv)
case("SLogDet", "square", lambda x: tuple(torch.linalg.slogdet(x)))

# Networks
case("Conv2d", "image kernel bias3", lambda x, w, b: F.conv2d(x, w, b, padding=1))
case("Conv2d grouped", "image kernel_grouped bias4", lambda x, w, b: F.conv2d(x, w, b, groups=2))
case("MaxPool2d", "image", lambda x: F.max_pool2d(x, 2))
case("MaxPool2d strided", "image", lambda x: F.max_pool2d(x, 3, stride=1, padding=1))
case("AdaptiveAvgPool2d", "image", lambda x: F.adaptive_avg_pool2d(x, (1, 2)))
case("BatchNorm", "image two two2", lambda x, w, b: F.batch_norm(x, torch.zeros(2), torch.ones(2), w, b, training=True, eps=1e-5))
case("BatchNorm plain", "image", lambda x: F.batch_norm(x, torch.full((2,), 0.5), torch.full((2,), 2.0), training=False, eps=1e-3))
case("Embedding", "table grid", lambda t, i: F.embedding(i, t))

case("LSTM", "sequence h0 c0 w_ih w_hh b_ih b_hh", lambda x, h, c, *p: torch._VF.lstm(x, (h, c), list(p), True, 1, 0.0, True, False, True))
case("CrossEntropy", "logits classes", F.cross_entropy)
case("NLLLoss", "logits classes", F.nll_loss)

# Normalisation
case("LayerNorm", "cube scale34 shift34", lambda x, w, b: F.layer_norm(x, (3, 4), w, b, eps=1e-3))
case("LayerNorm plain", "cube", lambda x: F.layer_norm(x, (4,)))

# Attention
attention = F.scaled_dot_product_attention
case("Attention", "query key value", attention)
case("Attention masked", "query key value query_mask", lambda q, k, v, m: attention(q, k, v, attn_mask=m))
case("Attention masked whole", "query key value query_mask_empty", lambda q, k, v, m: attention(q, k, v, attn_mask=m))
case("Attention biased", "query key value query_bias", lambda q, k, v, m: attention(q, k, v, attn_mask=m))

case("UpsampleBilinear", "image", lambda x: F.interpolate(x, size=(3, 8), mode="bilinear"))

golden = {"version": torch.__version__, "inputs": {k: pack(v) for k, v in inputs.items()}, "cases": cases}
(here / "golden.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")

every = {
    "f32": torch.tensor([[1.5, -2.25, 1 / 3]], dtype=torch.float32),
    "f64": torch.tensor([3.0, 1e300], dtype=torch.float64),
    "bf16": torch.tensor([1.0, 3.140625, -65280.0], dtype=torch.bfloat16),
    "f16": torch.tensor([0.5, 65504.0, -0.0], dtype=torch.float16),
    "i64": torch.tensor([-(2**62), 7]),
    "i32": torch.tensor([[2**31 - 1], [-5]], dtype=torch.int32),
    "u8": torch.tensor([0, 128, 255], dtype=torch.uint8),
    "bool": torch.tensor([True, False, True]),
    "scalar": torch.tensor(2.5, dtype=torch.float32),
    "empty": torch.zeros(0, 3),
}
save_file(every, here / "python.safetensors", metadata={"made by": "Python"})
