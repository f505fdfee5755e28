package picture

import (
	"os"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/datasettest"
)

func TestMain(m *testing.M) { os.Exit(datasettest.Main(m)) }
