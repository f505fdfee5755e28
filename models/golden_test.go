package models_test

import (
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

type constructor interface {
	New(nn.Init) (nn.Module, error)
}

// Logits, gradients and running moments of every network, in training and evaluation, against torch 2.11.0
// (testdata/generate.py, which defines "steady"): float64 1e-9 and float32 1e-4, relative to the scale.
func TestNetworksMatchPyTorch(t *testing.T) {
	words := unit("x", 5*40)
	for i, u := range words {
		words[i] = math.Floor((u + 1) / 2 * 90)
	}
	for _, c := range []struct {
		file    string
		model   constructor
		x       []float64
		shape   []int
		classes int
	}{
		{"resnet14", models.ResNet{Depth: 14, Classes: 10}, unit("x", 4*3*32*32), []int{4, 3, 32, 32}, 10},
		{"resnet50", models.ResNet50{Classes: 14}, unit("x", 3*3*64*64), []int{3, 3, 64, 64}, 14},
		{"lstm", models.LSTM{Words: 90, Dim: 24, Hidden: 32}, words, []int{5, 40}, 2},
	} {
		for dtype, tolerance := range map[torch.DType]float64{torch.Float64: 1e-9, torch.Float32: 1e-4} {
			for _, mode := range []string{"train", "eval", "steady"} {
				if (dtype == torch.Float64) == (mode == "steady") || dtype == torch.Float32 && c.file == "resnet50" && mode == "eval" {
					continue // of float32 the steady one, whose rounding stays small
				}
				torchtest.Case(t, fmt.Sprintf("%s/%v/%s", c.file, dtype, mode), func(t *testing.T) {
					want, metadata, err := torch.LoadSafetensors("testdata/" + c.file + ".safetensors")
					expect.OK(t, err)
					model := undrawn(t, c.model, dtype)
					count := strconv.Itoa(nn.CountParameters(model.Parameters()))
					expect.Same(t, metadata["parameters"], count, "parameters")
					fill(t, model, mode == "steady")
					x := torch.FromSlice(c.x, c.shape...).ToDType(dtype)
					if c.file == "lstm" {
						x = x.ToDType(torch.Int64)
					} else {
						x.SetRequiresGrad(true)
					}
					y := make([]int64, c.shape[0])
					for i := range y {
						y[i] = int64(i % c.classes)
					}
					pass := nn.Mode{Training: mode != "eval"}
					logits := model.Forward(x, pass)
					logits.CrossEntropy(torch.FromSlice(y)).Backward()
					torchtest.NearLargest(t, "logits", numbers(logits), numbers(want[mode+".logits"]), tolerance)
					grads, buffers := map[string]torch.Tensor{}, map[string]torch.Tensor{}
					for _, p := range model.Parameters() {
						if p.Role == nn.Buffer {
							buffers[p.Name] = p.Tensor
						} else {
							grads[p.Name] = p.Tensor.Grad()
						}
					}
					if x.RequiresGrad() {
						grads["x"] = x.Grad()
					}
					sampled(t, grads, want[mode+".grad.norms"], want[mode+".grad.samples"], tolerance)
					if mode == "train" && len(buffers) > 0 {
						sampled(t, buffers, want["buffer.norms"], want["buffer.samples"], tolerance)
					}
				})
			}
		}
	}
}

var numbers = torch.Slice[float64]

func drawn(t *testing.T, c constructor, dtype torch.DType) nn.Module {
	t.Helper()
	return expect.Got(c.New(nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), DType: dtype}))(t)
}

// undrawn returns a network for weights of a file: drawing millions of others would take a second.
func undrawn(t *testing.T, c constructor, dtype torch.DType) nn.Module {
	t.Helper()
	return expect.Got(c.New(nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Scheme: "zeros", DType: dtype}))(t)
}

// fill sets each tensor of model to the values of generate.py.
func fill(t *testing.T, model nn.Module, steady bool) {
	t.Helper()
	state := map[string]torch.Tensor{}
	for _, p := range model.Parameters() {
		shape := p.Tensor.Shape()
		values := unit(p.Name, p.Tensor.Numel())
		value := func(u float64) float64 { return math.Sqrt(6/float64(len(values)/shape[0])) * u }
		isNorm := strings.Contains(p.Name, "bn") || strings.Contains(p.Name, "downsample.1")
		switch {
		case len(shape) > 1:
		case strings.HasSuffix(p.Name, "running_var"), strings.HasSuffix(p.Name, "weight") && !steady:
			value = func(u float64) float64 { return 1 + u/4 }
		case strings.HasSuffix(p.Name, "weight"):
			value = func(u float64) float64 { return (1 + u/4) / 2 }
		case steady && isNorm && strings.HasSuffix(p.Name, "bias"):
			up := strings.Contains(p.Name, "bn3") || strings.Contains(p.Name, "downsample")
			value = func(u float64) float64 {
				if u > 0 || up {
					return 3 + math.Abs(u)
				}
				return u - 3
			}
		default:
			value = func(u float64) float64 { return u / 10 }
		}
		for i, u := range values {
			values[i] = value(u)
		}
		state[p.Name] = torch.FromSlice(values, shape...)
	}
	expect.OK(t, nn.LoadState(model.Parameters(), state))
}

// unit returns n numbers in [-1, 1) that depend only on name, as in generate.py.
func unit(name string, n int) []float64 {
	start := uint64(crc32.ChecksumIEEE([]byte(name))) << 32
	values := make([]float64, n)
	for i := range values {
		z := (uint64(i) + start) * 0x9E3779B97F4A7C15
		z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
		z = (z ^ (z >> 27)) * 0x94D049BB133111EB
		z ^= z >> 31
		values[i] = float64(z>>11)/(1<<52) - 1
	}
	return values
}

// sampled compares the norm of each tensor and the elements that generate.py has stored. The error of a tensor that
// is zero up to rounding, such as the gradient of a bias before a batch norm, is relative to a hundredth of the
// largest norm.
func sampled(t *testing.T, got map[string]torch.Tensor, norms, samples torch.Tensor, tolerance float64) {
	t.Helper()
	names := slices.Sorted(maps.Keys(got))
	wantNorms, wantAll := torch.Slice[float64](norms), torch.Slice[float64](samples)
	if len(wantNorms) != len(names) {
		t.Fatalf("%d tensors, PyTorch has %d", len(names), len(wantNorms))
	}
	floor := slices.Max(wantNorms) / 100
	size := samples.Size(1)
	for k, name := range names {
		values := torch.Slice[float64](got[name])
		largest := max(floor, floats.Norm(values, math.Inf(1)))
		if norm := floats.Norm(values, 2); !(math.Abs(norm-wantNorms[k]) <= tolerance*max(floor, wantNorms[k])) {
			t.Fatalf("%s: norm is %v, want %v", name, norm, wantNorms[k])
		}
		for j, want := range wantAll[k*size : (k+1)*size] {
			if at := j * len(values) / size; !(math.Abs(values[at]-want) <= tolerance*largest) {
				t.Fatalf("%s: element %d is %v, want %v (largest %v)", name, at, values[at], want, largest)
			}
		}
	}
}

// Features of transformers 5.24.0, testdata/bert.py: float64 1e-9 and float32 1e-5, relative to the scale. Two of the
// texts are padded; by itself and without padding a text has the same features.
func TestBERT(t *testing.T) {
	for dtype, tolerance := range map[torch.DType]float64{torch.Float64: 1e-9, torch.Float32: 1e-5} {
		torchtest.Case(t, fmt.Sprint(dtype), func(t *testing.T) {
			want, _, err := torch.LoadSafetensors("testdata/bert.safetensors")
			expect.OK(t, err)
			sizes := models.MiniLM
			sizes.Words, sizes.Positions = 211, 32
			model := undrawn(t, encoder(sizes.Features), dtype)
			fill(t, model, false)
			lengths := []int{9, 4, 1}
			ids := make([]int64, 3*9)
			for i, u := range unit("x", len(ids)) {
				if i%9 < lengths[i/9] {
					ids[i] = int64((u+1)/2*210) + 1
				}
			}
			features := func(ids []int64, n int) []float64 {
				y := model.Forward(torch.FromSlice(ids, n, len(ids)/n), nn.Eval)
				return torch.Slice[float64](y.SliceDim(1, 0, 384, 8).ToDType(torch.Float64))
			}
			all := torch.Slice[float64](want["features"])
			torchtest.NearLargest(t, "features", features(ids, 3), all, tolerance)
			torchtest.NearLargest(t, "a text without padding", features(ids[9:13], 1), all[48:96], tolerance)
		})
	}
}

// Features of the package efficientnet-lite-pytorch 0.1.0, testdata/efficientnet_lite2.py: float64 1e-9 and float32
// 1e-4, relative to the scale. The sizes cover different uneven padding.
func TestEfficientNetLite2(t *testing.T) {
	for dtype, tolerance := range map[torch.DType]float64{torch.Float64: 1e-9, torch.Float32: 1e-4} {
		for _, side := range []int{130, 128} {
			if side == 128 && dtype == torch.Float32 {
				continue
			}
			torchtest.Case(t, fmt.Sprintf("%v/%d", dtype, side), func(t *testing.T) {
				want, _, err := torch.LoadSafetensors("testdata/efficientnet_lite2.safetensors")
				expect.OK(t, err)
				model := undrawn(t, encoder(models.EfficientNetLite2{}.Features), dtype)
				fill(t, model, false)
				x := torch.FromSlice(unit("x", 2*3*side*side), 2, 3, side, side).ToDType(dtype)
				y := model.Forward(x, nn.Eval).SliceDim(1, 0, 1280, 16)
				torchtest.NearLargest(t, "features", numbers(y), numbers(want[strconv.Itoa(side)]), tolerance)
			})
		}
	}
}
