package kubernetes

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"github.com/losscorr/losscorr/internal/grid/cluster"
)

// docs/clusters.md names every key of a site file, in an example that is one.
func TestGuide(t *testing.T) {
	guide, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "clusters.md"))
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)```yaml\n(# kubernetes\\.yaml.*?)```").FindSubmatch(guide)
	if example == nil {
		t.Fatal("no example")
	}
	file := filepath.Join(t.TempDir(), "site.yaml")
	if err := os.WriteFile(file, example[1], 0o644); err != nil {
		t.Fatal(err)
	}
	site := new(Site)
	if err := cluster.LoadSite(file, site); err != nil {
		t.Error(err)
	}
	if err := cluster.Validate(site); err != nil {
		t.Error(err)
	}
	for field := range reflect.TypeFor[Site]().Fields() {
		key := field.Tag.Get("yaml")
		if key != "-" && !regexp.MustCompile(`(?m)^(# )?`+key+`:`).Match(example[1]) {
			t.Errorf("no key %s", key)
		}
	}
}
