package own

import (
	"fmt"
	"image/color"
	"path/filepath"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// Small images are small whether or not they have one size.
func TestImageSide(t *testing.T) {
	for name, c := range map[string]struct {
		sizes [][2]int
		want  int
	}{
		"one size":               {[][2]int{{200, 150}, {200, 150}}, 200},
		"small, of several":      {[][2]int{{24, 24}, {20, 32}, {24, 24}, {30, 30}}, 32},
		"one large, of several":  {[][2]int{{24, 24}, {32, 20}, {32, 129}, {24, 24}}, 0},
		"the first large":        {[][2]int{{300, 300}, {24, 24}, {24, 24}}, 0},
		"as large as small ones": {[][2]int{{128, 100}, {100, 128}}, 128},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "photos")
			for k, size := range c.sizes {
				datasettest.Put(t, filepath.Join(dir, "cat", fmt.Sprintf("%d.png", k)),
					datasettest.PNG(t, size[0], size[1], color.White))
			}
			expect.Same(t, c.want, expect.Got(Source{Path: dir}.ImageSide(t.Context()))(t))
		})
	}
}
