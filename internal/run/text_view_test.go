package run

import (
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/configtest"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/encoders"
	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/store"
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

// Texts become the features of their tokens, in their own order whatever the batches. Each text is computed once: in a
// second table, only new ones are. The network's form says that it takes texts.
func TestFeaturesOfTexts(t *testing.T) {
	torchtest.Open(t)
	batches := new(atomic.Int32)
	withEncoder(t, encoders.Entry{
		Name: "token-sums", Data: dataset.Text, Features: 2, Tokens: 5,
		Load: func(string, nn.Init) (nn.Module, error) { return tokenSums{batches}, nil },
	}, "none", "[PAD]\n[UNK]\n[CLS]\n[SEP]\ngood\nbad\nfilm\n")
	c := config.Config{Dataset: "own", Device: "cpu", Source: own.Source{Text: "text", View: "token-sums"}}
	features := func(texts ...string) []float32 {
		t.Helper()
		table := "text,label\n"
		for k, text := range texts {
			table += text + "," + []string{"a", "b"}[k%2] + "\n"
		}
		c.Source.Path = filepath.Join(configtest.Write(t, map[string]string{"texts.csv": table}), "texts.csv")
		batches.Store(0)
		return expect.Got(Features(t.Context(), c, dataset.Options{}))(t)[0]
	}
	// [CLS] and [SEP] add 5; at most 3 tokens are between them.
	for _, tt := range []struct {
		texts   string
		want    []float32
		batches int32
	}{
		{"good,bad film good bad,film film,Bad,good,other", []float32{3, 9, 5, 20, 4, 17, 3, 10, 3, 9, 3, 6}, 1},
		{"Bad,bad,good,other", []float32{3, 10, 3, 10, 3, 9, 3, 6}, 1},
		{"bad,film film,good,good", []float32{3, 10, 4, 17, 3, 9, 3, 9}, 0},
	} {
		expect.Same(t, tt.want, features(strings.Split(tt.texts, ",")...), tt.texts)
		expect.Same(t, tt.batches, batches.Load(), "batches")
	}
	many := slices.Repeat([]string{"good", "bad bad", "film film film"}, 40)
	for k := range many {
		many[k] += strings.Repeat(" ", k) // another text with the same tokens
	}
	for k, v := range features(many...) {
		if want := [...]float32{3, 9, 4, 15, 5, 23}[k%6]; v != want {
			t.Fatalf("number %d of text %d is %v, want %v", k%2, k/2, v, want)
		}
	}
	if want := 3 * 40 / featureBatch; int(batches.Load()) < want {
		t.Errorf("%d batches, want at least %d", batches.Load(), want)
	}
	d, in, err := withFeatures(t.Context(), c, dataset.Options{})
	expect.OK(t, err)
	if in.Type != store.Texts || in.Backbone == nil || in.Backbone.Features != 2 ||
		!slices.Equal(d.Train.Shape, []int{2}) {
		t.Errorf("%+v, features %v", in, d.Train.Shape)
	}
	if form := (&Network{Input: in}).Form(); !form.Texts {
		t.Errorf("new examples are %+v, want texts", form)
	}
}
