package run

import (
	"io/fs"
	"strconv"
	"strings"
	"testing"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/expect"
)

// Every shipped configuration expands, and every T that backward correction inverts has an inverse: a grid of hours
// must not end at its first run. Seeds can be set on the command line, so a file's note must not mention the seed of
// its runs.
func TestShippedGridsCanRun(t *testing.T) {
	numbered := func(n int) (names []string) {
		for i := range n {
			names = append(names, strconv.Itoa(i))
		}
		return names
	}
	groups := make([]int, 100)
	for i := range groups {
		groups[i] = i * 7 % 20
	}
	classes := map[string][]string{
		"mnist": numbered(10), "imdb": {"neg", "pos"}, "cifar100": numbered(100),
		"cifar10": strings.Fields("airplane automobile bird cat deer dog frog horse ship truck"),
	}
	files, err := fs.Glob(losscorr.Experiments(), "*/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	inverted, noted := 0, 0
	for _, file := range files {
		doc := expect.Got(config.ReadFS(losscorr.Experiments(), file))(t)
		configs := expect.Got(doc.Expand())(t)
		if note := configs[0].Note; note != "" {
			noted++
			if strings.Contains(note, "this is") || strings.Contains(note, "this seed") {
				t.Errorf("%s: with seed=[1,2] the tables say %q", file, note)
			}
		}
		for _, c := range configs {
			names := classes[c.Dataset]
			if c.Loss != "backward" || names == nil {
				continue
			}
			m, err := injected(c, names, groups)
			if err != nil {
				t.Errorf("%s, %s: %v", file, c.Name(), err)
				continue
			}
			if _, err := m.Inverse(); err != nil {
				t.Errorf("%s, %s: %v", file, c.Name(), err)
			}
			inverted++
		}
	}
	if inverted < 100 || noted == 0 {
		t.Errorf("%d matrices inverted and %d notes only", inverted, noted)
	}
}
