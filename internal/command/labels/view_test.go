package labels

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/encoders"
	"github.com/losscorr/losscorr/internal/views"
)

// auto takes the encoder of texts where its weights are there and the texts are few, and fetches it
// for nobody.
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
	p := Commands{app.Program{Stderr: &said}}
	names := func(view string, n int) string {
		t.Helper()
		said.Reset()
		flags := flag.NewFlagSet("audit", flag.ContinueOnError)
		flags.String("view", view, "")
		flags.Bool("offline", true, "")
		out, warning, err := p.withEncoders(cli.NewContext(cli.NewApp(), flags, nil), chosen, false, n)
		if warning != "" {
			t.Errorf("warning %q", warning)
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
