package cluster_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"github.com/losscorr/losscorr/internal/grid/cluster"
	"github.com/losscorr/losscorr/internal/grid/cluster/kubernetes"
	"github.com/losscorr/losscorr/internal/grid/cluster/slurm"
)

// docs/clusters.md has an example site file with every key.
func TestGuide(t *testing.T) {
	guide, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "clusters.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, site := range map[string]cluster.Scheduler{"site": new(slurm.Site), "kubernetes": new(kubernetes.Site)} {
		example := regexp.MustCompile("(?s)```yaml\n(# " + name + "\\.yaml.*?)```").FindSubmatch(guide)
		if example == nil {
			t.Fatalf("no example of %s.yaml", name)
		}
		file := filepath.Join(t.TempDir(), "site.yaml")
		for _, err := range []error{
			os.WriteFile(file, example[1], 0o644), cluster.LoadSite(file, site), cluster.Validate(site),
		} {
			if err != nil {
				t.Error(err)
			}
		}
		for field := range reflect.TypeOf(site).Elem().Fields() {
			key := field.Tag.Get("yaml")
			if key != "-" && !regexp.MustCompile(`(?m)^(# )?`+key+`:`).Match(example[1]) {
				t.Errorf("%s.yaml has no key %s", name, key)
			}
		}
	}
}
