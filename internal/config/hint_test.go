package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A key or value of another program or another place is named with what it is here.
func TestHints(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte("dataset: mnist\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		override, want string
	}{
		{"optimizer.lr=.1", `optimizer.lr: unknown key, did you mean "optimizer.learning_rate"?`},
		{"lr=.1", `lr: unknown key, did you mean "optimizer.learning_rate"?`},
		{"optimizer.momentun=.1", `unknown key, did you mean "optimizer.momentum"?`},
		{"batch=8", `unknown key, did you mean "batch_size"?`},
		{"noise.levle=.3", `unknown key, did you mean "noise.level"?`},
		{"loss=forward,cross-entropy", `loss: "forward,cross-entropy" are 2; several make a grid as a list: 'loss=[forward,cross-entropy]' on the command line, grid: {loss: [forward,cross-entropy]} in a file`},
		{"loss=forward,crossentropy", `unknown loss "forward,crossentropy"`},
	} {
		_, err := Load(file, tt.override)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v\nwant %q", tt.override, err, tt.want)
		}
	}
	for text, want := range map[string]string{
		"noise.kind: symmetric\n":      `noise.kind: unknown key: a file nests maps, noise: {kind: ...}`,
		"grid: {optimizer.lr: [.1]}\n": `grid.optimizer.lr: unknown key, did you mean "optimizer.learning_rate"?`,
		"optimizer: {lr: .1}\n":        `optimizer.lr: unknown key, did you mean "optimizer.learning_rate"?`,
	} {
		path := t.TempDir() + "/c.yaml"
		if err := os.WriteFile(path, []byte("dataset: mnist\n"+text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v\nwant %q", text, err, want)
		}
	}
}
