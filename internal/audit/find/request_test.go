package find

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/encoders"
	"github.com/losscorr/losscorr/internal/views"
)

// auto takes the encoder of texts if its weights exist and there are few texts, and never fetches
// it.
func TestEncoderOfTextsInAuto(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	sum := sha256.Sum256([]byte("none"))
	e := encoders.Entry{Name: "made", Data: dataset.Text, File: encoders.File{SHA256: hex.EncodeToString(sum[:]), Size: 4,
		Member: "x/made"}}
	all := encoders.All
	t.Cleanup(func() { encoders.All = all })
	encoders.All = append(slices.Clip(encoders.All), e)
	chosen := []views.Entry{{Name: "words", Data: dataset.Text}, {Name: "made", Data: dataset.Text, Encoder: "made"}}

	var said bytes.Buffer
	a := work{Data: &dataset.Dataset{}, Host: Host{Note: func(text string) { said.WriteString(text) }}}
	names := func(view string, n int) string {
		t.Helper()
		said.Reset()
		a.Data.Train.Labels = make([]int, n)
		a.Encoder = func(e encoders.Entry) error { _, err := e.Path(); return err }
		a.Request = Request{View: view, views: chosen}
		out, err := a.withEncoders(t.Context())
		if len(a.Findings) > 0 {
			t.Errorf("findings %q", a.Findings)
		}
		if err != nil {
			return err.Error()
		}
		var all []string
		for _, v := range out {
			all = append(all, v.Name)
		}
		return strings.Join(all, " ")
	}
	if got := names("auto", 10); got != "words" || said.Len() > 0 {
		t.Errorf("auto without weights tries %q and says %q", got, said.String())
	}
	if got := names("words,made", 10); !strings.Contains(got, "losscorr encoders get made") {
		t.Errorf("by name without weights: %q", got)
	}
	file := filepath.Join(t.TempDir(), "weights")
	if err := os.WriteFile(file, []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Add(file); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		view string
		n    int
		want string
		says bool
	}{{"auto", autoTexts, "words made", false}, {"auto", autoTexts + 1, "words", true},
		{"words,made", autoTexts + 1, "words made", false}} {
		if got := names(tt.view, tt.n); got != tt.want || strings.Contains(said.String(), "made is not tried") != tt.says {
			t.Errorf("%s of %d texts: %q, says %q", tt.view, tt.n, got, said.String())
		}
	}
}

// An audit is named after its data. The name may have dots.
func TestNameOf(t *testing.T) {
	for path, want := range map[string]string{
		"in/data.2023.csv": "data.2023", "X.NPY": "X", "photos.tar.gz": "photos", "photos/": "photos", "r.jsonl.gz": "r",
		".csv": ".csv", "v1.2": "v1.2",
	} {
		if got := NameOf(own.Source{Path: path}); got != want {
			t.Errorf("%s is called %q, want %q", path, got, want)
		}
	}
}
