package main

import (
	"io"
	"strings"
	"testing"

	"github.com/losscorr/losscorr"
)

// The notices are those of the modules in go.mod, and name those whose licences ask for more
// than a copyright line.
func TestNoticesAreUpToDate(t *testing.T) {
	t.Chdir("../..")
	if err := run(t.Context(), []string{"-check"}, io.Discard); err != nil {
		t.Error(err)
	}
	for _, want := range []string{
		"github.com/ajstarks/svgo", "Creative Commons Attribution 4.0", // drawings as SVG
		"github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0, licenses/ftl.txt", "The FreeType Project LICENSE",
		"SIL OPEN FONT LICENSE", "Apache License", "Go standard library, LICENSE", "gonum.org/v1/plot",
	} {
		if !strings.Contains(losscorr.Notices, want) {
			t.Errorf("the notices do not name %q", want)
		}
	}
}

func TestLegal(t *testing.T) {
	for name, want := range map[string]bool{
		"LICENSE": true, "LICENSE.md": true, "LICENSE-SIL": true, "Licence.txt": true, "NOTICE": true, "COPYING": true, "UNLICENSE": true, "PATENTS": true, "ftl.txt": true,
		"licenses": false, "README.md": false, "noticeboard": false, "gpl.txt": false,
	} {
		if got := legal.MatchString(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
