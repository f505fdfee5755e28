package published

import (
	"os"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(openAtGo); path != "" {
		os.Exit(openAndTell(path))
	}
	os.Exit(datasettest.Main(m))
}
