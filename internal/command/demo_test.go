package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset"
)

// demo leaves a folder alone that has other files with its names.
func TestDemoRefuses(t *testing.T) {
	data := &dataset.Dataset{Classes: strings.Split("0123456789", "")}
	for k := range 20 {
		data.Train.Labels = append(data.Train.Labels, k%10)
	}
	data.Train.X, data.Train.Shape = make([]byte, 20*784), []int{784}
	for _, name := range []string{"labels.csv", "images/a.png", "audit/summary.json"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		makeFolder(t, filepath.Dir(path))
		write(t, path, []byte("mine"))
		if _, _, err := writeDemo(dir, data); app.Exit(err) != app.ExitData {
			t.Errorf("%s: %v", name, err)
		}
		glob(t, 1, dir, "*")
		if string(read(t, path)) != "mine" {
			t.Errorf("%s is replaced", name)
		}
	}
	dir := t.TempDir()
	for range 2 { // the second time, the files exist
		if n, wrong, err := writeDemo(dir, data); n != 20 || wrong == 0 || err != nil {
			t.Errorf("%d digits, %d wrong, %v", n, wrong, err)
		}
	}
	glob(t, 20, dir, demoImages, "*.png")
}
