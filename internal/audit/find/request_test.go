package find

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/correction/table"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/encoders"
	"github.com/losscorr/losscorr/internal/expect"
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

	names := func(view string, n int) string {
		t.Helper()
		a := work{Data: &dataset.Dataset{Train: dataset.Split{Labels: make([]int, n)}}, Host: Host{Note: func(string) {},
			Encoder: func(e encoders.Entry) error { _, err := e.Path(); return err }},
			Request: Request{View: view, views: chosen}}
		out, err := a.withEncoders(t.Context())
		if err != nil {
			return err.Error()
		}
		return strings.Join(table.Of[views.Entry](out).Names(), " ")
	}
	expect.Same(t, "words", names("auto", 10))
	if got := names("words,made", 10); !strings.Contains(got, "losscorr encoders get made") {
		t.Errorf("by name without weights: %q", got)
	}
	file := filepath.Join(t.TempDir(), "weights")
	datasettest.Put(t, file, "none")
	expect.Got(e.Add(file))(t)
	expect.Same(t, "words made", names("auto", autoTexts))
	expect.Same(t, "words", names("auto", autoTexts+1))
	expect.Same(t, "words made", names("words,made", autoTexts+1))
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
