package figure

import (
	"regexp"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/report/reporttest"
)

// Figures of runs with other settings have other names than the preset's.
func TestFileNames(t *testing.T) {
	plain := reporttest.Result("forward", "asymmetric", .6, 1, 97, 97)
	small, other := plain, plain
	small.Config.BatchSize = 64
	other.Config.BatchSize, other.Config.Epochs, other.Config.Dropout, other.Config.Optimizer.LearningRate = 64, 3, .5, .1
	var names []string
	for _, block := range report.Blocks(report.Cells(report.FromResults(plain, small, other))) {
		names = append(names, fileName(block, block.Columns[0]))
	}
	form := "^mnist-mlp-code-[0-9a-f]{8}-asymmetric-0.6 mnist-mlp-code-asymmetric-0.6 " +
		"mnist-mlp-code-with-batch_size-64-asymmetric-0.6$"
	if got := strings.Join(names, " "); !regexp.MustCompile(form).MatchString(got) {
		t.Errorf("names %s, want %s", got, form)
	}
}
