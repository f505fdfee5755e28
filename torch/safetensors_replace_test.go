package torch_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// A file is replaced by a new one: who has opened the old one, as a crash in the middle of
// the write would show it, finds all of it. What cannot be written leaves it as it is.
func TestSafetensorsReplaces(t *testing.T) {
	torchtest.NoLeak(t, func() {
		dir := t.TempDir()
		path, old := filepath.Join(dir, "w.safetensors"), filepath.Join(dir, "old")
		save := func(path string, v float32) error {
			return torch.SaveSafetensors(path, map[string]torch.Tensor{"w": torchtest.FromSlice([]float32{v, v})}, nil)
		}
		if err := save(path, 1); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Link(path, old); err != nil {
			t.Fatal(err)
		}
		if err := save(path, 2); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]float64{old: 1, path: 2} {
			tensors, _, err := torch.LoadSafetensors(name)
			if err != nil {
				t.Fatal(err)
			}
			torchtest.Close(t, name, tensors["w"], []float64{want, want}, 0)
		}
		if kept, err := os.ReadFile(old); err != nil || string(kept) != string(before) {
			t.Errorf("the old file was written to (%v)", err)
		}
		if err := save(filepath.Join(dir, "none", "w.safetensors"), 3); err == nil {
			t.Error("no error without a folder")
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 2 {
			t.Errorf("%v, %v; want the two files alone", entries, err)
		}
	})
}
