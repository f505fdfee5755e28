package slurm

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"
)

// docs/clusters.md names every key of a site file, in an example that is one.
func TestGuide(t *testing.T) {
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "clusters.md"))
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)```yaml\n(# site\\.yaml.*?)```").FindSubmatch(guide)
	if example == nil {
		t.Fatal("no example")
	}
	file := filepath.Join(t.TempDir(), "site.yaml")
	if err := os.WriteFile(file, example[1], 0o644); err != nil {
		t.Fatal(err)
	}
	site, err := LoadSite(file)
	if err == nil {
		err = site.Validate()
	}
	if err != nil {
		t.Error(err)
	}
	for field := range reflect.TypeFor[Site]().Fields() {
		key := field.Tag.Get("yaml")
		if !regexp.MustCompile(`(?m)^(# )?` + key + `:`).Match(example[1]) {
			t.Errorf("no key %s", key)
		}
	}
}
