package encoders

import (
	"fmt"
	"strings"

	"github.com/nlpodyssey/gopickle/pytorch"
	"github.com/nlpodyssey/gopickle/types"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// loadPickled loads the float32 weights of a torch.save file into a network, except the last layer's, whose
// names start with the prefix without.
func loadPickled(model nn.Module, path, without string) error {
	content, err := pytorch.Load(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	dict, ok := content.(*types.OrderedDict)
	if !ok {
		return fmt.Errorf("%s holds a %T instead of a network's state dict", path, content)
	}
	torch.Scope(func() {
		state := map[string]torch.Tensor{}
		for key, entry := range dict.Map {
			name, _ := key.(string)
			t, _ := entry.Value.(*pytorch.Tensor)
			if t == nil || strings.HasPrefix(name, without) {
				continue
			}
			if data, ok := t.Source.(*pytorch.FloatStorage); ok { // integers count batches
				state[name] = torch.FromSlice(gather(data.Data, t), t.Size...)
			}
		}
		if err = nn.LoadState(model.Parameters(), state); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	})
	return err
}

// gather returns the elements of a tensor row by row, from a storage in any order.
func gather(storage []float32, t *pytorch.Tensor) []float32 {
	places := []int{t.StorageOffset}
	for d, size := range t.Size {
		next := make([]int, 0, len(places)*size)
		for _, at := range places {
			for k := range size {
				next = append(next, at+k*t.Stride[d])
			}
		}
		places = next
	}
	out := make([]float32, len(places))
	for k, at := range places {
		out[k] = storage[at]
	}
	return out
}
