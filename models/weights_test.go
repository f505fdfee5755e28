package models_test

import (
	"maps"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// saved writes the tensors of a filled ResNet-8 after edit.
func saved(t *testing.T, edit func(state map[string]torch.Tensor)) (path string, model nn.Module) {
	t.Helper()
	model = drawn(t, models.ResNet{Depth: 8, Classes: 10}, torch.Float32)
	fill(t, model, false)
	state := nn.StateDict(model.Parameters())
	if edit != nil {
		edit(state)
	}
	path = t.TempDir() + "/weights.safetensors"
	expect.OK(t, torch.SaveSafetensors(path, state, nil))
	return path, model
}

func same(t *testing.T, name string, a, b torch.Tensor) {
	t.Helper()
	torchtest.Close(t, name, a, torch.Slice[float64](b), 0)
}

// LoadWeights reads a PyTorch file and last.safetensors, which holds the selected weights, the weights of the last
// epoch and the optimizer's state.
func TestLoadWeights(t *testing.T) {
	for name, edit := range map[string]func(state map[string]torch.Tensor){
		"PyTorch's": func(state map[string]torch.Tensor) {
			state["bn1.num_batches_tracked"] = torch.FromSlice([]int64{7})
		},
		"a checkpoint": func(state map[string]torch.Tensor) {
			for name, tensor := range maps.Clone(state) {
				delete(state, name)
				state["best."+name], state["model."+name] = tensor, torch.ZerosLike(tensor)
				state["optimizer."+name+".sum"] = torch.ZerosLike(tensor)
			}
		},
	} {
		torchtest.NoLeak(t, func() {
			path, want := saved(t, edit)
			model := drawn(t, models.ResNet{Depth: 8, Classes: 10}, torch.Float32)
			expect.OK(t, models.LoadWeights(model, path))
			for i, p := range model.Parameters() {
				same(t, name+" "+p.Name, p.Tensor, want.Parameters()[i].Tensor)
			}
		})
	}
}

func TestLoadWeightsKeepsFreshLayers(t *testing.T) {
	defer torchtest.Scoped(t)()
	path, want := saved(t, nil)
	model := drawn(t, models.ResNet{Depth: 8, Classes: 3}, torch.Float32)
	head := nn.StateDict(model.Parameters())["fc.weight"].Detach().Clone()
	expect.OK(t, models.LoadWeights(model, path, "fc"))
	state := nn.StateDict(model.Parameters())
	same(t, "head", state["fc.weight"], head)
	same(t, "stem", state["conv1.weight"], nn.StateDict(want.Parameters())["conv1.weight"])
}

func TestLoadWeightsListsAllThatDiffers(t *testing.T) {
	defer torchtest.Scoped(t)()
	path, _ := saved(t, func(state map[string]torch.Tensor) { delete(state, "bn1.weight") })
	model := drawn(t, models.ResNet{Depth: 8, Classes: 3}, torch.Float32)
	before := model.Parameters()[0].Tensor.Detach().Clone()
	err := models.LoadWeights(model, path)
	expect.Says(t, err, path, "missing: bn1.weight [16]", "shape: fc.bias is [10], expected [3]")
	same(t, "after a failure", model.Parameters()[0].Tensor, before)
	expect.Says(t, models.LoadWeights(model, t.TempDir()+"/none.safetensors"), "none.safetensors")
}
