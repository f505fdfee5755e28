package picture

import (
	"os"
	"testing"

	"github.com/losscorr/losscorr/dataset/datasettest"
)

func TestMain(m *testing.M) { os.Exit(datasettest.Main(m)) }
