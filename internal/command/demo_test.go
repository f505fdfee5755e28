package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset"
)

// demo leaves a folder alone that has other files with its names.
func TestDemoRefuses(t *testing.T) {
	list := func(dir string) []os.DirEntry {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return entries
	}
	data := &dataset.Dataset{Classes: strings.Split("0123456789", "")}
	for k := range 20 {
		data.Train.Labels = append(data.Train.Labels, k%10)
	}
	data.Train.X, data.Train.Shape = make([]byte, 20*784), []int{784}
	for _, name := range []string{"labels.csv", "images/a.png", "audit/summary.json"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
		_, _, err := writeDemo(dir, data)
		if app.Exit(err) != app.ExitData || !strings.Contains(fmt.Sprint(err), "choose another folder") {
			t.Errorf("%s: %v", name, err)
		}
		if kept, err := os.ReadFile(path); err != nil || string(kept) != "mine" || len(list(dir)) != 1 {
			t.Errorf("%s: the folder has %v", name, list(dir))
		}
	}
	dir := t.TempDir()
	for range 2 { // the second time, the files exist
		if n, wrong, err := writeDemo(dir, data); n != 20 || wrong == 0 || err != nil {
			t.Errorf("%d digits, %d wrong, %v", n, wrong, err)
		}
	}
	if n := len(list(filepath.Join(dir, demoImages))); n != 20 {
		t.Errorf("%d images", n)
	}
}
