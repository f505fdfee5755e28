package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
)

// Corrected labels are for losses that use no T, beside which a T estimates the accuracy, and belong to
// the run by their content.
func TestCorrected(t *testing.T) {
	dir, write := writer(t)
	one, same, other := write("one.csv", "index,label\n1,2\n"), write("same.csv", "index,label\n1,2\n"), write("other.csv", "index,label\n1,3\n")
	matrix := write("T.csv", "")
	file := write("run.yaml", "dataset: mnist\npreset: fixed\nloss: cross-entropy\n")
	for want, overrides := range map[string][]string{
		"forward trains on these": {"loss=forward", "corrected=" + one},
		"answers trains on these": {"loss=answers", "targets=" + one, "corrected=" + one},
		"no file":                 {"corrected=" + filepath.Join(dir, "none.csv")},
		"not by cross-entropy":    {"transition=" + matrix},
	} {
		if _, err := config.Load(file, overrides...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", overrides, err, want)
		}
	}
	var ids []string
	for _, path := range []string{one, same, other} {
		all, err := config.Load(file, "corrected="+path, "transition="+matrix)
		if err != nil {
			t.Fatal(err)
		}
		if got := all[0].Essential().Transition; got != matrix {
			t.Errorf("beside corrected labels T is %q", got)
		}
		if name := all[0].Name(); !strings.Contains(name, "on corrected labels") {
			t.Errorf("%q does not say that labels are corrected", name)
		}
		ids = append(ids, all[0].ID())
	}
	if ids[0] != ids[1] || ids[0] == ids[2] {
		t.Errorf("IDs %v: want the first two alike", ids)
	}
}
