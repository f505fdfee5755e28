package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/encoders"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
)

// row is what is found of an encoder.
type row struct {
	encoder        string
	tokens, same   int     // texts whose tokens were compared, and that have the same
	examples       int     // whose features were compared
	difference     float64 // the largest of features in float32
	ours, theirs   float64 // examples per second
	oursB, theirsB float64 // the same in bfloat16; 0 where the processor has none
}

// measure compares the encoders. The largest difference is of features in float32, relative to the
// largest feature.
func (w *bench) measure() (rows []row, err error) {
	err = torch.Try(func() (err error) {
		torch.Scope(func() {
			torch.SetThreads(1)
			torch.NoGrad(func() {
				var r row
				if r, err = w.minilm(); err != nil {
					return
				}
				rows = append(rows, r)
				if r, err = w.lite(); errors.Is(err, fs.ErrNotExist) { // Python has no reference
					err = nil
				} else if err == nil {
					rows = append(rows, r)
				}
			})
		})
		return err
	})
	return rows, err
}

// minilm compares the encoder of texts.
func (w *bench) minilm() (row, error) {
	e := encoders.All.Named("minilm")
	r := row{encoder: e.Name, tokens: len(w.texts), examples: compared, theirs: w.speed.Texts, theirsB: w.speed.TextsB}
	words, err := e.Words()
	if err != nil {
		return r, err
	}
	var want [][]int64
	data, err := os.ReadFile(filepath.Join(w.work, "tokens.json"))
	if err == nil {
		err = json.Unmarshal(data, &want)
	}
	if err != nil {
		return r, err
	}
	for k, text := range w.texts {
		if slices.Equal(words.IDs(text, e.Tokens), want[k]) {
			r.same++
		}
	}
	model, err := loaded(e)
	if err != nil {
		return r, err
	}
	order := make([]int, compared)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(want[a]), len(want[b])) })
	got := make([]float32, compared*e.Features)
	for rows := range slices.Chunk(order, 32) {
		length := len(want[rows[len(rows)-1]])
		ids := make([]int64, len(rows)*length)
		for i, k := range rows {
			copy(ids[i*length:], want[k])
		}
		torch.Scope(func() {
			out := torch.Slice[float32](model.Forward(torch.FromSlice(ids, len(rows), length), nn.Eval))
			for i, k := range rows {
				copy(got[k*e.Features:], out[i*e.Features:(i+1)*e.Features])
			}
		})
	}
	if r.difference, err = w.largest("features.npy", got); err != nil {
		return r, err
	}
	ids := make([]int64, 32*e.Tokens)
	for k := range ids {
		ids[k] = int64(2000 + k*37%20000)
	}
	x := torch.FromSlice(ids, 32, e.Tokens)
	r.ours, r.oursB = speedOf(model, x)
	return r, nil
}

// lite compares the encoder of photos.
func (w *bench) lite() (row, error) {
	e := encoders.All.Named("efficientnet-lite2")
	r := row{encoder: fmt.Sprintf("%s at %d", e.Name, side), examples: photos, theirs: w.speed.Photos, theirsB: w.speed.PhotosB}
	if _, err := os.Stat(filepath.Join(w.work, "photos.npy")); err != nil {
		return r, err
	}
	model, err := loaded(e)
	if err != nil {
		return r, err
	}
	x := torch.FromSlice(w.pixels, photos, 3, side, side).ToDType(torch.Float32).AddScalar(-e.Shift).MulScalar(1 / e.Scale)
	r.difference, err = w.largest("photos.npy", torch.Slice[float32](model.Forward(x, nn.Eval)))
	r.ours, r.oursB = speedOf(model, x)
	return r, err
}

// loaded returns an encoder's network.
func loaded(e encoders.Entry) (nn.Module, error) {
	path, err := e.Path()
	if err != nil {
		return nil, err
	}
	return e.Load(path, nn.Init{Rand: rand.New(rand.NewPCG(0, 0))})
}

// largest is the largest difference from an array of the reference, relative to its largest number.
func (w *bench) largest(name string, got []float32) (float64, error) {
	want, _, err := npy.ReadFloat32(filepath.Join(w.work, name))
	if err != nil {
		return 0, err
	}
	if len(want) != len(got) {
		return 0, fmt.Errorf("%s has %d numbers, not %d", name, len(want), len(got))
	}
	off, scale := 0., 0.
	for k, v := range want {
		off, scale = max(off, math.Abs(float64(v-got[k]))), max(scale, math.Abs(float64(v)))
	}
	return off / scale, nil
}

// speedOf returns the examples per second of processor time in float32 and in bfloat16.
func speedOf(model nn.Module, x torch.Tensor) (plain, half float64) {
	once := func(m nn.Module) float64 {
		look := func() { torch.Scope(func() { m.Forward(x, nn.Eval).Sum().Item() }) }
		look()
		begun := processorTime()
		look()
		return float64(x.Size(0)) / (processorTime() - begun).Seconds()
	}
	plain = once(model)
	if torch.CheckPrecision(torch.CPU, torch.BFloat16) == nil {
		half = once(nn.Autocast{Module: model, Device: torch.CPU, DType: torch.BFloat16})
	}
	return plain, half
}

// processorTime is what this process has used.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// write prints the rows and writes them to a file, if one is named.
func write(out io.Writer, path string, rows []row, torchVersion string) error {
	info, err := torch.Describe()
	if err != nil {
		return err
	}
	e := store.NewEnvironment("", nil)
	records := [][]string{{"encoder", "texts", "same_tokens", "examples", "largest_difference", "per_second", "pytorch_per_second", "bfloat16_per_second", "pytorch_bfloat16_per_second",
		"date", "version", "cpu", "libtorch", "pytorch"}}
	for _, r := range rows {
		records = append(records, []string{
			r.encoder, strconv.Itoa(r.tokens), strconv.Itoa(r.same), strconv.Itoa(r.examples), fmt.Sprintf("%.2g", r.difference),
			fmt.Sprintf("%.1f", r.ours), fmt.Sprintf("%.1f", r.theirs), fmt.Sprintf("%.1f", r.oursB), fmt.Sprintf("%.1f", r.theirsB),
			time.Now().UTC().Format(time.DateOnly), losscorr.Version, e.CPU.Model, info.Version, torchVersion,
		})
	}
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(records); err != nil {
		return err
	}
	if _, err := out.Write(b.Bytes()); err != nil || path == "" {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}
