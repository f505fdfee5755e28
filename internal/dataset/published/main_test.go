package published

import (
	"slices"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
)

func TestMain(m *testing.M) { datasettest.Main(m) }

// without returns the entries but the one with a name.
func without(entries []datasettest.Entry, name string) []datasettest.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e datasettest.Entry) bool { return e.Name == name })
}
