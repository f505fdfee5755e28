package run

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/sjson"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/run/train"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// The metadata of weights are not trusted: a broken configuration is bad data, and one for a larger network than the
// file has weights for takes no memory.
func TestDamagedMetadataOfWeights(t *testing.T) {
	torchtest.Open(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	data := forms(t, t.TempDir())
	weights := map[string]string{}
	for _, name := range []string{"numbers", "text"} {
		weights[name] = trained(t, data[name].settings...).Path(store.CheckpointsDir, train.BestFile)
	}
	for _, tt := range []struct {
		name, form, part, key, value, want string
	}{
		{"unknown model", "numbers", "config", "model", `"transformer"`, "model: unknown model"},
		{"unknown loss", "numbers", "config", "loss", `"best"`, "loss: unknown loss"},
		{"vectors too wide", "text", "config", "embedding_dim", "1099511627776", "embedding_dim: 1099511627776 is too wide"},
		{"negative width", "text", "config", "embedding_dim", "-5", "embedding_dim: -5 is too narrow"},
		{"batch", "numbers", "config", "batch_size", "0", "batch_size: 0 is too small"},
		{"wide layers", "numbers", "config", "hidden", "[65536, 65536]", "weights of shape [65536 3]: only"},
		{"wide vectors", "text", "config", "embedding_dim", "1000000", "weights of shape ["},
		{"large pictures", "numbers", "input", "shape", "[3, 16384, 16384]", "at most 50331648 elements"},
		{"no element", "numbers", "input", "shape", "[0]", "at least 1"},
		{"type", "numbers", "input", "type", `"letters"`, `unknown type "letters"`},
		{"vocabulary", "text", "input", "vocabulary", "-1", "with a vocabulary of -1"},
		{"shift", "numbers", "input", "shift", `{"shape": [1, 2], "values": [1, 2]}`,
			"shift or scale of 2 values, shape [1 2], for examples of shape [3]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "w.safetensors")
			torchtest.NoLeak(t, func() {
				torch.Scope(func() {
					tensors, metadata, err := torch.LoadSafetensors(weights[tt.form])
					expect.OK(t, err)
					key := "losscorr." + tt.part
					metadata[key] = expect.Got(sjson.SetRaw(metadata[key], tt.key, tt.value))(t)
					expect.OK(t, torch.SaveSafetensors(path, tensors, metadata))
				})
				n, err := OpenNetwork(path)
				if err == nil {
					var examples dataset.Split
					s := n.Config.Source
					s.Path = ""
					if examples, _, err = own.OpenNew(t.Context(), s, data[tt.form].paths, n.Form(), dataset.Options{}); err != nil {
						t.Fatal(err)
					}
					_, err = n.Predict(t.Context(), examples, torch.CPU, nil)
				}
				if !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%v, want dataset.ErrData with %q", err, tt.want)
				}
			})
		})
	}
}
