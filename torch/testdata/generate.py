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
    "sym": (lambda m: m + m.T)(normal(3, 3)),
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
    "probabilities": torch.round(torch.rand(4, 3), decimals=3),
    "classes": torch.tensor([0, 2, 1, 2]),
    "rows": torch.tensor([1, 0, 1]),
    "columns": torch.tensor([2, 0]),
    "grid": torch.tensor([[2, 0, 1], [1, 1, 0]]),
    "rows_of_grid": torch.tensor([[0, 1, 0]]),
    "grid32": torch.tensor([[2, 0, 4], [1, 1, 0]], dtype=torch.int32),
    "mask": torch.tensor([[True, False, True], [False, True, True]]),
    "mask2": torch.tensor([[True, True, False], [False, True, False]]),
    "special": torch.tensor([0.0, -0.0, float("inf"), float("-inf"), float("nan"), 2.5, -2.5, 1e-300, 3.5]),
    "fractions": torch.tensor([1 / 3, -2.7, 65504.0, 1e5, 1e-8, 2049.0, 257.0, -0.0]),
    "whole": torch.tensor([0.0, 1.0, 2.0, 100.0, 255.0]),
    "duplicates": torch.tensor([[3.0, 1.0, 3.0, 2.0], [0.0, 0.0, -1.0, 5.0]]),
    "sequence": normal(2, 4, 3),
    "sequence_first": normal(4, 2, 3),
    "h0": normal(1, 2, 2),
    "c0": normal(1, 2, 2),
    "w_ih": normal(8, 3),
    "w_hh": normal(8, 2),
    "b_ih": normal(8),
    "b_hh": normal(8),
    "h02": normal(2, 2, 2),
    "c02": normal(2, 2, 2),
    "w_ih_r": normal(8, 3),
    "w_hh_r": normal(8, 2),
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
    "channels": normal(2, 4, 3, 2),
    "scale4": normal(4),
    "shift4": normal(4),
    "series": normal(2, 4, 6),
    "kernel1d": normal(3, 4, 3),
    "kernel1d_grouped": normal(4, 2, 2),
    "kernel_rectangular": normal(3, 2, 1, 3),
    "kernel_transposed": normal(2, 3, 3, 3),
    "kernel_transposed_grouped": normal(2, 2, 2, 3),
    "classes_ignored": torch.tensor([0, -100, 1, 2]),
    "pixels": normal(2, 3, 2, 2),
    "pixel_classes": torch.tensor([[[0, 2], [1, 1]], [[2, 2], [0, 1]]]),
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
case("OnesLike", "grid", torch.ones_like)
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
case("Permute", "cube", lambda x: x.permute(2, 0, 1))
case("Flip", "cube", lambda x: x.flip(0, 2))
case("Transpose", "cube", lambda x: x.transpose(0, -1))
case("T", "a", lambda x: x.T)
case("Squeeze", "h0", lambda x: x.squeeze(0))
case("Unsqueeze", "a", lambda x: x.unsqueeze(-1))
case("Flatten", "cube", lambda x: x.flatten(1, -1))
case("Narrow", "cube", lambda x: x.narrow(2, 1, 2))
case("Select", "cube", lambda x: x.select(1, -1))
case("SliceDim", "cube", lambda x: x[:, :, 1:4:2])
case("Pad", "a", lambda x: F.pad(x, (1, 0, 0, 2), value=9.0))
case("Tril", "square", lambda x: x.tril(-1))
case("Triu", "square", lambda x: x.triu(1))
case("Diagonal", "square", lambda x: x.diagonal())
case("Cat", "a b", lambda a, b: torch.cat([a, b], 1))
case("Stack", "a b", lambda a, b: torch.stack([a, b], 1))

# Indexing
case("IndexSelect", "a rows", lambda a, i: a.index_select(0, i))
case("Gather", "a grid", lambda a, i: a.gather(1, i))
case("ScatterInPlace", "a rows_of_grid line", lambda a, i, s: a.scatter(0, i, s))
case("ScatterValue", "a rows_of_grid", lambda a, i: a.scatter(0, i, 2.5))
case("ScatterAdd", "a grid b", lambda a, i, b: a.scatter_add(1, i, b))
case("IndexAdd", "table rows square", lambda t, i, s: t.index_add(0, i, s))
case("MaskedSelect", "a mask", lambda a, m: a.masked_select(m))
case("MaskedFill", "a mask", lambda a, m: a.masked_fill(m, -1.5))
case("NonZero", "mask", torch.nonzero)
case("OneHot", "classes", lambda c: F.one_hot(c, 4))
case("Bincount", "classes", lambda c: torch.bincount(c, minlength=5))
case("Where", "mask a b", torch.where)

# One operand
for go, f in {
    "Neg": torch.neg, "Abs": torch.abs, "Exp": torch.exp, "Expm1": torch.expm1, "Square": torch.square,
    "Sin": torch.sin, "Cos": torch.cos, "Tanh": torch.tanh, "Sigmoid": torch.sigmoid, "LogSigmoid": F.logsigmoid,
    "Softplus": F.softplus, "ReLU": torch.relu,
}.items():
    case(go, "a", f)
for go, f in {"Log": torch.log, "Log1p": torch.log1p, "Sqrt": torch.sqrt, "Rsqrt": torch.rsqrt, "Reciprocal": torch.reciprocal}.items():
    case(go, "pos", f)
for go, f in {
    "Sign": torch.sign, "Floor": torch.floor, "Ceil": torch.ceil, "Round": torch.round, "IsNaN": torch.isnan,
    "IsFinite": torch.isfinite, "LogicalNot": torch.logical_not, "ReLU special": torch.relu, "Exp special": torch.exp,
    "Softplus special": F.softplus, "LogSigmoid special": F.logsigmoid,
}.items():
    case(go, "special", f)
case("Clamp", "a", lambda a: a.clamp(-0.5, 0.5))
case("ClampMin", "a", lambda a: a.clamp_min(-0.25))
case("ClampMax", "a", lambda a: a.clamp_max(0.25))

# Two operands
for go, f in {"Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "Maximum": torch.maximum, "Minimum": torch.minimum}.items():
    case(go, "a b", f)
    case(go + " broadcast", "a row", f)
case("Add promoted", "single grid", torch.add)
case("Div", "a pos", torch.div)
case("Pow", "pos a", torch.pow)
case("Remainder", "a pos", torch.remainder)
for go, f in {"Eq": torch.eq, "Ne": torch.ne, "Lt": torch.lt, "Le": torch.le, "Gt": torch.gt, "Ge": torch.ge}.items():
    case(go, "grid grid32", f)
    case(go + "Scalar", "grid", lambda g, f=f: f(g, 1))
for go, f in {"LogicalAnd": torch.logical_and, "LogicalOr": torch.logical_or, "LogicalXor": torch.logical_xor}.items():
    case(go, "mask mask2", f)
case("AddScalar", "a", lambda a: a + 1.5)
case("AddScalar whole", "grid", lambda g: g + 2)
case("SubScalar", "a", lambda a: a - 1.5)
case("MulScalar", "a", lambda a: a * 1.5)
case("DivScalar", "a", lambda a: a / 1.5)
case("PowScalar", "pos", lambda p: p ** 2.5)
case("AddInPlace", "a b", lambda a, b: a + 0.5 * b)
case("MulInPlace", "a b", lambda a, b: a * b)
case("MulScalarInPlace", "a", lambda a: a * 3)

# Reductions
for go, f in {"Sum": torch.sum, "Mean": torch.mean}.items():
    case(go, "cube", f)
    case(go + " dims", "cube", lambda x, f=f: f(x, dim=(0, -1)))
    case(go + "Keep", "cube", lambda x, f=f: f(x, dim=(1,), keepdim=True))
for go, f in {"Amax": torch.amax, "Amin": torch.amin, "LogSumExp": torch.logsumexp}.items():
    case(go, "cube", lambda x, f=f: f(x, dim=(0, 1, 2)))
    case(go + " dims", "cube", lambda x, f=f: f(x, dim=(0, -1)))
    case(go + "Keep", "cube", lambda x, f=f: f(x, dim=(1,), keepdim=True))
case("Sum whole", "grid", torch.sum)
case("Sum mask", "mask", torch.sum)
case("Var", "cube", lambda x: x.var(dim=(1, 2), correction=1))
case("Var all", "cube", lambda x: x.var(correction=0))
case("Std", "cube", lambda x: x.std(dim=0, correction=0))
case("Norm", "cube", lambda x: torch.linalg.vector_norm(x, 2, dim=(0, 2)))
case("Norm one", "cube", lambda x: torch.linalg.vector_norm(x, 1))
case("Prod", "cube", lambda x: x.prod(1))
case("Cumsum", "cube", lambda x: x.cumsum(-1))
case("Any", "mask", torch.any)
case("All", "mask", torch.all)
case("Argmax", "cube", lambda x: x.argmax(1))
case("Argmin", "cube", lambda x: x.argmin(-1))
case("Quantile", "cube", lambda x: x.quantile(0.3, dim=2))
case("Softmax", "cube", lambda x: x.softmax(-1))
case("LogSoftmax", "cube", lambda x: x.log_softmax(1))
case("Max", "cube", lambda x: x.max(1))
case("Min", "cube", lambda x: x.min(-1))
case("Median", "cube", lambda x: x.median(2))
case("Sort", "duplicates", lambda x: x.sort(dim=1, stable=True))
case("Sort descending", "duplicates", lambda x: x.sort(dim=1, descending=True, stable=True))
case("TopK", "cube", lambda x: x.topk(2, dim=2))

# Linear algebra
case("Matmul", "cube cube2", torch.matmul)
case("Mm", "square mat", torch.mm)
case("Bmm", "cube cube2", torch.bmm)
case("Solve", "square mat", torch.linalg.solve)
case("Addmm", "two square mat", lambda b, t, u: torch.addmm(b, t, u, beta=0.5, alpha=2))
case("Linear", "a weight bias4", F.linear)
case("Linear no bias", "a weight", F.linear)
case("Inverse", "square", torch.linalg.inv)
case("SVDVals", "mat", torch.linalg.svdvals)
case("EigvalsH", "sym", torch.linalg.eigvalsh)
case("SLogDet", "square", lambda x: tuple(torch.linalg.slogdet(x)))

# Networks
case("Conv2d", "image kernel bias3", lambda x, w, b: F.conv2d(x, w, b, padding=1))
case("Conv2d strided", "image kernel", lambda x, w: F.conv2d(x, w, stride=2, padding=2, dilation=2))
case("Conv2d grouped", "image kernel_grouped bias4", lambda x, w, b: F.conv2d(x, w, b, groups=2))
case("MaxPool2d", "image", lambda x: F.max_pool2d(x, 2))
case("MaxPool2d strided", "image", lambda x: F.max_pool2d(x, 3, stride=1, padding=1))
case("AvgPool2d", "image", lambda x: F.avg_pool2d(x, 2, stride=2, padding=1))
case("AdaptiveAvgPool2d", "image", lambda x: F.adaptive_avg_pool2d(x, (1, 2)))
case("BatchNorm", "image two two2", lambda x, w, b: F.batch_norm(x, torch.zeros(2), torch.ones(2), w, b, training=True, eps=1e-5))
case("BatchNorm plain", "image", lambda x: F.batch_norm(x, torch.full((2,), 0.5), torch.full((2,), 2.0), training=False, eps=1e-3))
case("Embedding", "table grid", lambda t, i: F.embedding(i, t))


def lstm(x, states, params, both, batch_first):
    return torch._VF.lstm(x, states, params, True, 1, 0.0, True, both, batch_first)


case("LSTM", "sequence h0 c0 w_ih w_hh b_ih b_hh", lambda x, h, c, *p: lstm(x, (h, c), list(p), False, True))
case("LSTM both ways", "sequence_first h02 c02 w_ih w_hh b_ih b_hh w_ih_r w_hh_r b_hh b_ih", lambda x, h, c, *p: lstm(x, (h, c), list(p), True, False))
case("CrossEntropy", "logits classes", F.cross_entropy)
case("CrossEntropy none", "logits classes", lambda x, y: F.cross_entropy(x, y, reduction="none"))
case("CrossEntropy sum", "logits classes", lambda x, y: F.cross_entropy(x, y, reduction="sum"))
case("CrossEntropySmooth", "logits classes", lambda x, y: F.cross_entropy(x, y, label_smoothing=0.1))
case("NLLLoss", "logits classes", F.nll_loss)
case("MSELoss", "a b", F.mse_loss)
case("BCEWithLogits", "logits probabilities", F.binary_cross_entropy_with_logits)

# Activations
for go, f in {
    "Erf": torch.erf, "GELU": F.gelu, "GELUTanh": lambda x: F.gelu(x, approximate="tanh"), "SiLU": F.silu,
    "LeakyReLU": lambda x: F.leaky_relu(x, 0.2),
}.items():
    case(go, "a", f)
for go, f in {"GELU special": F.gelu, "SiLU special": F.silu, "Erf special": torch.erf}.items():
    case(go, "special", f)

# Normalisation
case("LayerNorm", "cube scale34 shift34", lambda x, w, b: F.layer_norm(x, (3, 4), w, b, eps=1e-3))
case("LayerNorm plain", "cube", lambda x: F.layer_norm(x, (4,)))
case("GroupNorm", "channels scale4 shift4", lambda x, w, b: F.group_norm(x, 2, w, b, eps=1e-3))
case("GroupNorm plain", "channels", lambda x: F.group_norm(x, 4))

# Attention
attention = F.scaled_dot_product_attention
case("Attention", "query key value", attention)
case("Attention causal", "query key value", lambda q, k, v: attention(q, k, v, is_causal=True, scale=0.3))
case("Attention masked", "query key value query_mask", lambda q, k, v, m: attention(q, k, v, attn_mask=m))
case("Attention masked whole", "query key value query_mask_empty", lambda q, k, v, m: attention(q, k, v, attn_mask=m))
case("Attention biased", "query key value query_bias", lambda q, k, v, m: attention(q, k, v, attn_mask=m))

# Convolution and resampling
case("Conv1d", "series kernel1d bias3", lambda x, w, b: F.conv1d(x, w, b, stride=2, padding=1))
case("Conv1d grouped", "series kernel1d_grouped", lambda x, w: F.conv1d(x, w, dilation=2, groups=2))
case("Conv2d rectangular", "image kernel_rectangular bias3", lambda x, w, b: F.conv2d(x, w, b, stride=(2, 1), padding=(0, 2), dilation=(1, 2)))
case("ConvTranspose2d", "image kernel_transposed bias3", lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1))
case("ConvTranspose2d rectangular", "image kernel_transposed_grouped", lambda x, w: F.conv_transpose2d(x, w, stride=(1, 3), padding=(1, 0), output_padding=(0, 2), dilation=(2, 1), groups=2))
case("MaxPool2d rectangular", "image", lambda x: F.max_pool2d(x, (2, 3), stride=(1, 2), padding=(0, 1)))
case("AvgPool2d rectangular", "image", lambda x: F.avg_pool2d(x, (3, 2)))
case("Upsample", "image", lambda x: F.interpolate(x, scale_factor=2))
case("Upsample size", "image", lambda x: F.interpolate(x, size=(3, 7)))
case("Upsample bilinear", "image", lambda x: F.interpolate(x, scale_factor=1.5, mode="bilinear"))
case("Upsample bilinear size", "image", lambda x: F.interpolate(x, size=(3, 8), mode="bilinear"))
case("Upsample bilinear corners", "image", lambda x: F.interpolate(x, size=(7, 4), mode="bilinear", align_corners=True))
case("Upsample bilinear corners by factor", "image", lambda x: F.interpolate(x, scale_factor=1.5, mode="bilinear", align_corners=True))

# Several tensors
case("Split", "cube", lambda x: x.split(3, 2))
case("SplitSizes", "cube", lambda x: x.split([1, 0, 2], 1))
case("Chunk", "cube", lambda x: x.chunk(3, -1))
case("Unbind", "cube", lambda x: x.unbind(1))
case("Repeat", "a", lambda x: x.repeat(2, 1, 2))
case("Einsum", "cube cube2", lambda a, b: torch.einsum("bij,bjk->bik", a, b))
case("Einsum sum", "cube a row", lambda a, b, c: torch.einsum("b...d,bc,c->d", a, b, c))
case("Einsum trace", "square", lambda a: torch.einsum("ii", a))

# Losses with weights of classes, which have no gradient
w = torch.tensor([0.5, 2.0, 0.25])
case("CrossEntropyWith", "logits classes", lambda x, y: F.cross_entropy(x, y, weight=w))
case("CrossEntropyWith smoothing", "logits classes", lambda x, y: F.cross_entropy(x, y, weight=w, label_smoothing=0.1, reduction="sum"))
case("CrossEntropyWith ignored", "logits classes_ignored", F.cross_entropy)
case("CrossEntropyWith first class ignored", "logits classes", lambda x, y: F.cross_entropy(x, y, weight=w, ignore_index=0, reduction="none"))
case("CrossEntropyWith pixels", "pixels pixel_classes", lambda x, y: F.cross_entropy(x, y, ignore_index=2))

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
