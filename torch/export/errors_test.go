package export_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/export"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// refused loads a bad file and fails the test unless the error names the file and contains all of want.
func refused(t *testing.T, path string, want ...string) {
	t.Helper()
	torch.Scope(func() {
		expect.Says(t, expect.Err(export.Load(path, export.Options{})), append(want, "load "+path+": ")...)
	})
}

func written(t *testing.T, path string, data []byte) string {
	t.Helper()
	expect.OK(t, os.WriteFile(path, data, 0o666))
	return path
}

func TestRefusesWhatItCannotRun(t *testing.T) {
	defer torchtest.Scoped(t)()
	for name, want := range map[string]string{
		"release-2.8.0.pt2": "weights by pickle: this file is of torch 2.8 or earlier",
		"fixed.pt2": "the graph is for the fixed shape [4 6] of input: export it with a dynamic batch, " +
			"torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim(\"batch\")},))",
		"two-inputs.pt2": "more than one input: export a network whose forward takes only the batch of examples",
		"two-outputs.pt2": "more than one output, or one that is not a tensor: export a network whose forward returns " +
			"only the logits",
		"draws.pt2":        "node randperm (aten.randperm.default; generate.py:",
		"transposed.pt2":   "there and back share elements in another shape or order",
		"control-flow.pt2": "is not supported: write the network without torch.cond",
	} {
		refused(t, "testdata/"+name, want)
	}
	refused(t, "testdata/draws.pt2", "draws from libtorch's global generator")
}

// Files of the oldest, the default and the newest release; 2.8 is refused above.
func TestReadsReleases(t *testing.T) {
	defer torchtest.Scoped(t)()
	for _, release := range []string{"2.11.0", "2.15.0"} {
		p := load(t, "release-"+release+".pt2")
		if !strings.HasPrefix(p.Torch, release) || p.Input.String() != "[batch 1 8 8] float32" ||
			export.ShapeString(p.Outputs) != "[batch 4]" {
			t.Errorf("%s: %+v", release, p.Description)
		}
		x := torch.NewGenerator(1, device).Normal(0, 1, f32, 3, 1, 8, 8)
		p.Forward(x, nn.Train(torch.NewGenerator(1, device))).Sum().Backward()
	}
}

// A network exported after model.eval() trains and warns about what it lacks.
func TestEvaluationExport(t *testing.T) {
	defer torchtest.Scoped(t)()
	p := load(t, "evaluation.pt2")
	expect.Same(t, 1, len(p.Warnings), "warnings")
	expect.Says(t, p.Warnings, "export it after model.train()")
	mean := nn.StateDict(p.Parameters())["1.running_mean"]
	before := torch.Slice[float64](mean)
	p.Forward(torch.Ones(f32, 4, 6), nn.Eval)
	torchtest.Close(t, "running mean after evaluation", mean, before, 0)
	p.Forward(torch.Ones(f32, 4, 6), nn.Train(torch.NewGenerator(1, device)))
	moved := !slices.Equal(torch.Slice[float64](mean), before)
	expect.Same(t, true, moved, "training moves the running mean")
}

func TestRefusesOtherFormats(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, data []byte) string { return written(t, filepath.Join(dir, name), data) }
	archive := func(name string, entries ...string) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, e := range entries {
			h := &zip.FileHeader{Name: "net/" + e, Method: zip.Store}
			if strings.HasSuffix(e, ".py") {
				h.Method = zip.Deflate // as torch.jit.save writes it
			}
			w, err := z.CreateHeader(h)
			if err == nil {
				_, err = w.Write([]byte("pt2"))
			}
			expect.OK(t, err)
		}
		expect.OK(t, z.Close())
		return file(name, b.Bytes())
	}
	whole := expect.Got(os.ReadFile("testdata/conv.pt2"))(t)
	for path, want := range map[string]string{
		file("empty", nil): "not a zip file",
		file("onnx", []byte("\x08\x08\x12\x07pytorch\x1a")):                 "not a zip file",
		file("truncated", whole[:len(whole)/2]):                             "truncated",
		archive("script", "data.pkl", "constants.pkl", "code/__torch__.py"): "TorchScript",
		archive("saved", "data.pkl", "data/0"):                              "weights of torch.save",
		archive("old", "serialized_exported_program.json"):                  "this file is of torch 2.7 or earlier",
		filepath.Join(dir, "none"):                                          "no such file",
	} {
		refused(t, path, want)
	}
}

// rewritten is conv.pt2 with one entry changed; a nil result leaves it out.
func rewritten(t *testing.T, entry string, method uint16, change func([]byte) []byte) string {
	t.Helper()
	return rewrittenFile(t, "conv.pt2", entry, method, change)
}

func rewrittenFile(t *testing.T, name, entry string, method uint16, change func([]byte) []byte) string {
	t.Helper()
	z := expect.Got(zip.OpenReader("testdata/" + name))(t)
	defer z.Close()
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	found := false
	for _, f := range z.File {
		r := expect.Got(f.Open())(t)
		content := expect.Got(io.ReadAll(r))(t)
		how := zip.Store
		if strings.HasSuffix(f.Name, "/"+entry) {
			found = true
			if content = change(content); content == nil {
				continue
			}
			how = method
		}
		w, err := out.CreateHeader(&zip.FileHeader{Name: f.Name, Method: how})
		if err == nil {
			_, err = w.Write(content)
		}
		expect.OK(t, err)
	}
	expect.OK(t, out.Close())
	if !found {
		t.Fatalf("no entry %s", entry)
	}
	return written(t, filepath.Join(t.TempDir(), "changed.pt2"), b.Bytes())
}

func replace(old, new string) func([]byte) []byte {
	return func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(old), []byte(new)) }
}

func TestRefusesDamage(t *testing.T) {
	const model, weights = "models/model.json", "data/weights/model_weights_config.json"
	gone := func([]byte) []byte { return nil }
	torchtest.NoLeak(t, func() {
		for _, c := range []struct {
			entry  string
			method uint16
			change func([]byte) []byte
			want   string
		}{
			{model, zip.Store, func(b []byte) []byte {
				return b[:len(b)/2]
			}, "entry models/model.json is not the expected JSON"},
			{model, zip.Deflate, replace("", ""), "is compressed, which torch.export.save does not do"},
			{model, zip.Store, replace(`"major": 8`, `"major": 9`), "schema version 9"},
			{model, zip.Store, replace("torch.ops.aten.conv2d.default", "torch.ops.own.fold.default"),
				"node conv2d (own.fold.default; generate.py:"},
			{model, zip.Store, replace("torch.ops.aten.sym_size.int", "_operator.matmul"), ""},
			{model, zip.Store, replace(`"name": "weight", "arg"`, `"name": "mass", "arg"`), "is missing the argument weight"},
			{model, zip.Store, replace(`"name": "relu_"`, `"name": "lost"`), ""},
			{model, zip.Store, replace(`"as_tensor": {"name": "p_fc_bias"}`, `"as_tensor": {"name": "nothing"}`),
				`nothing before it computes "nothing"`},
			{model, zip.Store, func(b []byte) []byte {
				return bytes.Replace(b, []byte(`"type": "cpu", "index": null`), []byte(`"type": "cuda", "index": 0`), 1)
			}, "values of several devices: cpu ("},
			{weights, zip.Store, gone, "no tensor for conv1.weight"},
			{weights, zip.Store, replace(`"use_pickle": false`, `"use_pickle": true`), "weights by pickle"},
			{weights, zip.Store, replace(`"as_int": 4}`, `"as_int": 4000000000000}`), "needs 36000000000000 elements"},
			{weights, zip.Store, replace(`"sizes": [{"as_int": 4}`, `"sizes": [{"as_int": 40000}`), "needs 360000 elements"},
			{weights, zip.Store, func(b []byte) []byte {
				return replace(`"strides": [{"as_int": 9}`, `"strides": [{"as_int": 0}`)(replace(`"sizes": [{"as_int": 4}`,
					`"sizes": [{"as_int": 40}`)(b))
			}, "is expanded from fewer elements (strides [0 9 3 1]): export it after .clone()"},
			{weights, zip.Store, replace(`"dtype": 7`, `"dtype": 9`), "elements of an unsupported type"},
			{weights, zip.Store, replace(`"storage_offset": {"as_int": 0}`, `"storage_offset": {"as_int": 5}`), "damaged"},
			{weights, zip.Store, replace(`"storage_offset": {"as_int": 0}`, `"storage_offset": {"as_int": -1}`), "damaged"},
			{"data/weights/weight_0", zip.Store, gone, "no entry data/weights/weight_0"},
			{"byteorder", zip.Store, replace("little", "big"), "big-endian"},
		} {
			if c.want == "" { // absent from this file or without effect: anything but a panic
				torch.Scope(func() { _, _ = export.Load(rewritten(t, c.entry, c.method, c.change), export.Options{}) })
				continue
			}
			refused(t, rewritten(t, c.entry, c.method, c.change), c.want)
		}
	})
	// A zip bomb: overlapping entries claim more bytes than the file has.
	small := expect.Got(os.ReadFile(rewritten(t, "byteorder", zip.Store, replace("", ""))))(t)
	end := len(small) - 22 // the end record: entries at 8 and 10, size and place of the directory at 12 and 16
	size, start := binary.LittleEndian.Uint32(small[end+12:]), binary.LittleEndian.Uint32(small[end+16:])
	bomb := append(slices.Clone(small[:start]), bytes.Repeat(small[start:end], 20)...)
	record := slices.Clone(small[end:])
	for _, at := range []int{8, 10} {
		binary.LittleEndian.PutUint16(record[at:], 20*binary.LittleEndian.Uint16(record[at:]))
	}
	binary.LittleEndian.PutUint32(record[12:], 20*size)
	bombed := written(t, filepath.Join(t.TempDir(), "bomb.pt2"), append(bomb, record...))
	refused(t, bombed, "damaged: its entries claim more than the")
	// A bit of a weight: the zip's checksum finds it.
	whole := expect.Got(os.ReadFile("testdata/conv.pt2"))(t)
	z := expect.Got(zip.NewReader(bytes.NewReader(whole), int64(len(whole))))(t)
	for _, e := range z.File {
		if strings.HasSuffix(e.Name, "/weight_0") {
			at := expect.Got(e.DataOffset())(t)
			whole[at+5] ^= 1
		}
	}
	refused(t, written(t, filepath.Join(t.TempDir(), "flipped.pt2"), whole), "damaged")
}

// Whatever happens to a file, Load returns an error or a network, and the network returns logits or an error.
func TestDamageNeverPanics(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	defer torchtest.Scoped(t)()
	loaded := 0
	for range 150 {
		path := rewritten(t, "models/model.json", zip.Store, func(b []byte) []byte {
			for range 1 + rng.IntN(3) {
				at := rng.IntN(len(b))
				// Numbers, names and kinds, or any byte.
				alphabet := []string{"0123456789", "abcdefghijklmnopqrstuvwxyz", ""}[rng.IntN(3)]
				if alphabet == "" {
					b[at] = byte(rng.IntN(128))
				} else if next := bytes.IndexAny(b[at:], alphabet); next >= 0 {
					b[at+next] = alphabet[rng.IntN(len(alphabet))]
				}
			}
			return b
		})
		torch.Scope(func() {
			p, err := export.Load(path, export.Options{Device: device})
			if err != nil {
				return
			}
			loaded++
			_ = torch.Try(func() error {
				shape := []int{4}
				for _, n := range p.Input.Shape[1:] {
					shape = append(shape, min(max(n, 1), 64))
				}
				p.Forward(torch.Zeros(f32, shape...), nn.Train(torch.NewGenerator(1, device)))
				return nil
			})
		})
	}
	if loaded == 0 || loaded == 150 {
		t.Errorf("%d of 150 damaged files were loaded", loaded)
	}
}

func TestForwardRefusesOtherShapes(t *testing.T) {
	defer torchtest.Scoped(t)()
	p := load(t, "conv.pt2")
	e := torchtest.Raises(t, torch.Shape, func() { p.Forward(torch.Ones(f32, 2, 1, 8, 9), nn.Eval) })
	expect.Says(t, e, "examples [2 1 8 9], it was exported for [batch 1 8 8] float32")
	// An error of an operation names its node.
	if !torchtest.OnGPU() {
		p = load(t, "text.pt2")
		e = torchtest.Raises(t, torch.Index, func() { p.Forward(torch.Full(60, f32, 3, 12), nn.Eval) })
		expect.Says(t, e, "node embedding (aten.embedding.default; generate.py:")
	}
	// One example has no variance.
	p = load(t, "evaluation.pt2")
	expect.Says(t, torch.Try(func() error {
		p.Forward(torch.Ones(f32, 1, 6), nn.Train(torch.NewGenerator(1, device)))
		return nil
	}), "more than one value")
}

// Roles decide weight decay; names match state_dict, with tied and frozen parameters.
func TestParameters(t *testing.T) {
	defer torchtest.Scoped(t)()
	roles := map[string]nn.Role{}
	for _, p := range load(t, "zoo.pt2").Parameters() {
		roles[p.Name] = p.Role
	}
	for name, want := range map[string]nn.Role{
		"lstm.weight_ih_l0": nn.Weight, "lstm.bias_ih_l0": nn.Bias, "instance.weight": nn.Norm,
		"instance.running_mean": nn.Buffer,
		"group.bias":            nn.Norm, "scale": nn.Bias, "fc.weight": nn.Weight, "fc.bias": nn.Bias,
		"frozen.weight": nn.Buffer, "instance.num_batches_tracked": nn.Buffer,
	} {
		if got, known := roles[name]; !known || got != want {
			t.Errorf("role of %s is %v (%v), want %v", name, got, known, want)
		}
	}
	if roles["tied.weight"] == roles["again.weight"] || len(roles) != 20 {
		t.Errorf("%d names: %v", len(roles), roles)
	}
}
