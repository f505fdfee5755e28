// Encoderbench compares the encoders with the reference implementations, by their real weights:
// tokens and features of IMDB's texts with tokenizers and transformers, features of photos with
// efficientnet-lite-pytorch, and the speed of both on one core.
//
//	make encoder-benchmark PYTHON=.venv/bin/python ARGS='-imdb data/imdb/aclImdb_v1.tar.gz'
//
// Python needs torch, transformers, tokenizers, safetensors and, for the photos, efficientnet-lite-pytorch.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/losscorr/losscorr/internal/encoders"
	"github.com/losscorr/losscorr/internal/tool"
	"github.com/losscorr/losscorr/tools/measured"
)

//go:embed reference.py
var reference string

func main() { os.Exit(tool.Main("encoderbench", os.Stdout, run)) }

// compared is the number of texts whose features are compared, photos that of the photos, which are
// noise of side x side pixels.
const (
	compared = 1000
	photos   = 32
	side     = 128
)

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("encoderbench", flag.ContinueOnError)
	python := flags.String("python", "python3", "interpreter of the reference implementations")
	imdb := flags.String("imdb", "", "aclImdb_v1.tar.gz, for its 50,000 texts")
	csv := flags.String("out", "", "CSV file of the figures")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *imdb == "" {
		return errors.New("-imdb names no aclImdb_v1.tar.gz")
	}
	texts, err := reviews(*imdb)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "losscorr-encoders-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	w := &bench{work: work, texts: texts}
	if err := w.reference(ctx, *python); err != nil {
		return err
	}
	rows, err := w.measure()
	if err != nil {
		return err
	}
	return write(out, *csv, rows, w.speed.Torch)
}

// reviews reads the labelled texts of IMDB, in the order of their names.
func reviews(file string) ([]string, error) {
	all, err := measured.Reviews(file)
	if err != nil {
		return nil, err
	}
	if len(all) < compared {
		return nil, fmt.Errorf("%s has %d reviews, want at least %d", file, len(all), compared)
	}
	texts := make([]string, len(all))
	for k := range all {
		texts[k] = all[k*7919%len(all)].Text // all kinds among the first ones: 7919 is prime to the number
	}
	return texts, nil
}

// bench is a comparison.
type bench struct {
	work   string
	texts  []string
	pixels []byte
	speed  speeds
}

// speeds are examples per second of one core's time, of the reference.
type speeds struct {
	Torch   string  `json:"torch"`
	Texts   float64 `json:"texts"`
	TextsB  float64 `json:"texts_bfloat16"`
	Photos  float64 `json:"photos"`
	PhotosB float64 `json:"photos_bfloat16"`
}

// reference has Python write what it makes of the texts and photos.
func (w *bench) reference(ctx context.Context, python string) error {
	w.pixels = make([]byte, photos*3*side*side)
	for k := range w.pixels {
		w.pixels[k] = byte(k * k % 251)
	}
	asked, err := json.Marshal(map[string]any{"texts": w.texts, "compared": compared, "side": side})
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"texts.json": asked, "pixels.bin": w.pixels, "reference.py": []byte(reference)} {
		if err := os.WriteFile(filepath.Join(w.work, name), content, 0o600); err != nil {
			return err
		}
	}
	files := []string{filepath.Join(w.work, "reference.py"), w.work}
	for _, name := range []string{"minilm", "efficientnet-lite2"} {
		path, err := encoders.All.Named(name).Path()
		if err != nil {
			return err
		}
		files = append(files, path)
		if name == "minilm" {
			words, err := encoders.All.Named(name).WordsPath()
			if err != nil {
				return err
			}
			files = append(files, words)
		}
	}
	cmd := exec.CommandContext(ctx, python, files...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", python, err)
	}
	data, err := os.ReadFile(filepath.Join(w.work, "speed.json"))
	if err == nil {
		err = json.Unmarshal(data, &w.speed)
	}
	return err
}
