package run

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/encoders"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/internal/views"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// tokenSums is an encoder of texts without weights: the number of tokens, and the sum of their ids.
type tokenSums struct{ batches *atomic.Int32 }

func (tokenSums) Parameters() []nn.Parameter { return nil }
func (s tokenSums) Forward(x torch.Tensor, _ nn.Mode) torch.Tensor {
	s.batches.Add(1)
	ids := x.ToDType(torch.Float32)
	return torch.Cat(1, ids.NeScalar(0).ToDType(torch.Float32).SumKeep(1), ids.SumKeep(1))
}

// withTokenSums adds the encoder and its view to the tables.
func withTokenSums(t *testing.T) (batches *atomic.Int32) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	batches = new(atomic.Int32)
	e := encoders.Entry{Name: "token-sums", Data: dataset.Text, Features: 2, Tokens: 5, Load: func(string, nn.Init) (nn.Module, error) { return tokenSums{batches}, nil }}
	var paths []string
	for name, f := range map[string]struct {
		*encoders.File
		content string
	}{
		"weights": {&e.File, "none"}, "vocabulary": {&e.Vocabulary, "[PAD]\n[UNK]\n[CLS]\n[SEP]\ngood\nbad\nfilm\n"},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(f.content), 0o600); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(f.content))
		*f.File = encoders.File{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(f.content)), Member: "x/" + name}
		paths = append(paths, path)
	}
	allEncoders, allViews := encoders.All, views.All
	t.Cleanup(func() { encoders.All, views.All = allEncoders, allViews })
	encoders.All = append(encoders.All[:len(encoders.All):len(encoders.All)], e)
	views.All = append(views.All[:len(views.All):len(views.All)], views.Entry{Name: "token-sums", Data: dataset.Text, Encoder: "token-sums"})
	if _, err := e.Add(paths[0]); err == nil {
		t.Error("an encoder with one of its two files is whole")
	}
	if _, err := e.Add(paths...); err != nil {
		t.Fatal(err)
	}
	return batches
}

// Texts become the features of their tokens, in their own order whatever the batches are, and each text
// once: in a second table only what is new is computed. A network says that it takes texts.
func TestFeaturesOfTexts(t *testing.T) {
	torchtest.Open(t)
	batches := withTokenSums(t)
	c := config.Config{Dataset: "own", Device: "cpu", Source: own.Source{Text: "text", View: "token-sums"}}
	features := func(texts ...string) []float32 {
		t.Helper()
		c.Source.Path = filepath.Join(t.TempDir(), "texts.csv")
		var lines strings.Builder
		lines.WriteString("text,label\n")
		for k, text := range texts {
			lines.WriteString(text + "," + []string{"a", "b"}[k%2] + "\n")
		}
		if err := os.WriteFile(c.Source.Path, []byte(lines.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		batches.Store(0)
		got, err := Features(t.Context(), c, dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return got[0]
	}
	// [CLS] and [SEP] add 5; at most 3 tokens are between them.
	if got, want := features("good", "bad film good bad", "film film", "Bad", "good", "other"), []float32{3, 9, 5, 20, 4, 17, 3, 10, 3, 9, 3, 6}; !slices.Equal(got, want) || batches.Load() != 1 {
		t.Errorf("%v in %d batches, want %v in one", got, batches.Load(), want)
	}
	if got, want := features("Bad", "bad", "good", "other"), []float32{3, 10, 3, 10, 3, 9, 3, 6}; !slices.Equal(got, want) || batches.Load() != 1 {
		t.Errorf("%v in %d batches, want %v in one", got, batches.Load(), want)
	}
	if got, want := features("bad", "film film", "good", "good"), []float32{3, 10, 4, 17, 3, 9, 3, 9}; !slices.Equal(got, want) || batches.Load() != 0 {
		t.Errorf("%v in %d batches, want %v in none", got, batches.Load(), want)
	}
	many := slices.Repeat([]string{"good", "bad bad", "film film film"}, 40)
	for k := range many {
		many[k] += strings.Repeat(" ", k) // another text, the same tokens
	}
	for k, v := range features(many...) {
		if want := [...]float32{3, 9, 4, 15, 5, 23}[k%6]; v != want {
			t.Fatalf("number %d of text %d is %v, want %v", k%2, k/2, v, want)
		}
	}
	if want := 3 * 40 / featureBatch; int(batches.Load()) < want {
		t.Errorf("%d batches, want at least %d", batches.Load(), want)
	}
	var all sources
	d, err := all.withFeatures(t.Context(), c, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in := all.images[dataKey(c)]
	if in.Type != store.Texts || in.Backbone == nil || in.Backbone.Features != 2 || !slices.Equal(d.Train.Shape, []int{2}) {
		t.Errorf("%+v, features %v", in, d.Train.Shape)
	}
	if form := (&Network{Input: in}).Form(); !form.Texts {
		t.Errorf("new examples are %+v, want texts", form)
	}
}
