package command

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/rows"
	"github.com/losscorr/losscorr/internal/store"
)

// hostileArchive is an archive whose names hold escape sequences, line ends and formulas.
func hostileArchive(t *testing.T, path string) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for c, class := range []string{"=cmd", "+dog", "\x1b[31mred"} {
		for k := range 12 {
			w, err := z.Create(fmt.Sprintf("%s/-%d\x1b]0;title\a.png", class, k))
			if err != nil {
				t.Fatal(err)
			}
			picture := image.NewGray(image.Rect(0, 0, 8, 8))
			for i := range picture.Pix {
				picture.SetGray(i%8, i/8, color.Gray{Y: uint8(97*c + 13*k + i*(k+1))})
			}
			if err := png.Encode(w, picture); err != nil {
				t.Fatal(err)
			}
		}
	}
	w, err := z.Create("=cmd/bad\n\x1b[2Jlosscorr: all is well.png")
	if err == nil {
		_, err = w.Write([]byte("no image"))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, b.Bytes())
}

// What comes from an archive, a status or a table reaches the terminal as text, on lines of
// ours; and no cell of a CSV file is a formula, while our readers find the same names.
func TestHostileNames(t *testing.T) {
	dir := t.TempDir()
	archive := filepath.Join(dir, "a.zip")
	hostileArchive(t, archive)
	call := func(want int, args ...string) string {
		t.Helper()
		var out, diagnostics bytes.Buffer
		p := Default()
		p.Stdout, p.Stderr = &out, &diagnostics
		if code := p.Main(append([]string{"losscorr"}, args...)); code != want {
			t.Errorf("%q: exit code %d, want %d\n%s", args, code, want, diagnostics.String())
		}
		text := out.String() + diagnostics.String()
		if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }); i >= 0 {
			t.Errorf("%q: a control character in %q", args, text[max(0, i-50):min(len(text), i+50)])
		}
		if strings.Contains(text, "\nlosscorr: all is well") || strings.Contains(text, "\n\\u001b[2Jlosscorr") {
			t.Errorf("%q: a line that the program has not written:\n%s", args, text)
		}
		return text
	}
	contains(t, "check", call(0, "check", archive, "--quiet"), `\u001b[31mred`, `=cmd/bad\u000a\u001b[2J`)
	call(65, "noisify", archive, "--noise", "symmetric:.2", "--quiet")

	noisy := filepath.Join(dir, "noisy.csv")
	call(0, "noisify", archive, "--noise", "symmetric:.2", "--max-bad", "3", "--out", noisy, "--quiet")
	labels, err := own.ReadLabels(noisy)
	if err != nil || len(labels) != 36 {
		t.Fatalf("%d labels, %v", len(labels), err)
	}
	if _, ok := labels["+dog/-3\x1b]0;title\a.png"]; !ok {
		t.Errorf("the names are not those of the archive: %q", labels)
	}
	for id, label := range labels {
		if label != "=cmd" && label != "+dog" && label != "\x1b[31mred" {
			t.Errorf("%q has the label %q", id, label)
		}
	}
	for line := range strings.Lines(string(read(t, noisy))) {
		for cell := range strings.SplitSeq(strings.TrimSuffix(line, "\n"), ",") {
			if rows.Cell(rows.Original(cell)) != cell {
				t.Errorf("the cell %q is a formula", cell)
			}
		}
	}

	runs := filepath.Join(dir, "runs")
	folder := filepath.Join(runs, "000000000001")
	makeFolder(t, folder)
	write(t, filepath.Join(folder, store.StatusFile), []byte(`{"schema":1,"state":"failed","error":"=1+1\u001b[31m\nlosscorr: all is well"}`))
	contains(t, "runs", call(0, "report", "--format", "runs", runs), `'=1+1\u001b[31m\u000alosscorr`)

	configuration := filepath.Join(dir, "c.yaml")
	write(t, configuration, []byte("dataset: mnist\nepochs: 1\n"))
	if err := os.Symlink(filepath.Join(dir, "none"), filepath.Join(dir, "x")); err != nil {
		t.Fatal(err)
	}
	contains(t, "an error", call(78, "config", "show", configuration, "loss=\"\\x1b[31mforward\""), `[31mforward`)
}
