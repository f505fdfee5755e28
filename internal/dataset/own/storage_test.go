package own

import (
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
)

// The name of a file says in which form it has examples.
func TestStorageOf(t *testing.T) {
	for path, want := range map[string]storage{
		"": labelsAlone, "x.npy": arrays, "X.NPY": arrays, "t.csv": tables, "t.jsonl": tables, "t.parquet": tables,
		"photos": images, "photos.zip": images, "t.csv/": images,
	} {
		expect.Same(t, want, storageOf(path), path)
	}
}
