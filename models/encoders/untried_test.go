package encoders

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/models"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// A file of weights whose hash is not known is taken if its parameters fit, in place of one before;
// what was changed since is as if it were not there, and nothing is fetched.
func TestUntried(t *testing.T) {
	torchtest.Open(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	e := dinov2SmallEntry
	for name, err := range map[string]error{"path": second(e.Path()), "get": second(e.Get(t.Context(), nil))} {
		if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "losscorr encoders add dinov2-small model.safetensors") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if e.Given() != "" {
		t.Errorf("given before: %s", e.Given())
	}
	written := func(class float64, change func(map[string]torch.Tensor)) string {
		path := filepath.Join(t.TempDir(), "weights.safetensors")
		torch.Scope(func() {
			net, err := models.DINOv2Small.Features(nn.Init{Rand: rand.New(rand.NewPCG(1, 0)), Scheme: "zeros"})
			if err != nil {
				t.Fatal(err)
			}
			state := nn.StateDict(net.Parameters())
			state["embeddings.cls_token"] = torch.Full(class, torch.Options{}, 1, 1, 384)
			state["embeddings.mask_token"] = torch.Zeros(torch.Options{}, 1, 384)
			change(state)
			if err := torch.SaveSafetensors(path, state, nil); err != nil {
				t.Fatal(err)
			}
		})
		return path
	}
	for what, change := range map[string]func(map[string]torch.Tensor){
		"layernorm.bias": func(s map[string]torch.Tensor) { delete(s, "layernorm.bias") },
		"embeddings.position_embeddings": func(s map[string]torch.Tensor) {
			s["embeddings.position_embeddings"] = torch.Zeros(torch.Options{}, 1, 257, 384)
		},
	} {
		if _, err := e.Add(written(0, change)); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("another %s: %v", what, err)
		}
	}
	whole := func(map[string]torch.Tensor) {}
	first, second := written(1, whole), written(2, whole)
	if _, err := e.Add(first, second); err == nil {
		t.Error("two files are accepted")
	}
	before := ""
	for _, from := range []string{first, first, second} {
		path, err := e.Add(from)
		if err != nil {
			t.Fatal(err)
		}
		found, sum, err := e.Weights()
		if err != nil || found != path || !strings.Contains(path, sum[:12]) || e.Given() != filepath.Base(path) || (path == before) != (from == first && before != "") {
			t.Errorf("%s: %s, %s, %v after %s", path, found, sum, err, before)
		}
		before = path
	}
	torch.Scope(func() {
		net, err := e.Load(before, nn.Init{})
		if err != nil {
			t.Fatal(err)
		}
		// Nothing but the class token is set, and a normalisation of equal numbers gives zeros.
		y := net.Forward(torch.Ones(torch.Options{}, 1, 3, 28, 28), nn.Eval)
		if v := torch.Slice[float32](y); len(v) != e.Features || math.Abs(float64(v[0])) > 1e-6 {
			t.Errorf("features %v", v)
		}
	})
	if err := os.WriteFile(before, []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Path(); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "was changed") {
		t.Errorf("after a change: %v", err)
	}
}

func second(_ string, err error) error { return err }

// Weights of which the beginning of the hash is known are taken from a file whose hash begins so.
func TestBegins(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	torchtest.Open(t)
	path := filepath.Join(t.TempDir(), "made.pth")
	if err := os.WriteFile(path, []byte("weights"), 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("weights"))
	digits := hex.EncodeToString(sum[:4])
	for begins, want := range map[string]string{digits: "", "": "", "00" + digits: "begins with 00" + digits} {
		e := Entry{Name: "made", File: File{Begins: begins, Member: "made.pth"}, Load: func(string, nn.Init) (nn.Module, error) { return nil, nil }}
		if _, err := e.Add(path); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", begins, err, want)
		}
	}
}
