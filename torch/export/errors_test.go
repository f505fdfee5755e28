package export_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/export"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// refused loads what must not load and returns the error's text.
func refused(t *testing.T, path string) string {
	t.Helper()
	var err error
	torch.Scope(func() { _, err = export.Load(path, export.Options{}) })
	if err == nil {
		t.Fatalf("%s was loaded", path)
	}
	if !strings.HasPrefix(err.Error(), "load "+path+": ") {
		t.Errorf("%v does not begin with the file", err)
	}
	return err.Error()
}

func says(t *testing.T, what, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("%s: %s\ndoes not say %q", what, got, want)
	}
}

func TestRefusesWhatItCannotRun(t *testing.T) {
	torchtest.NoLeak(t, func() {
		for name, want := range map[string]string{
			"release-2.8.0.pt2": "weights by pickle: this file is of torch 2.8 or earlier",
			"fixed.pt2":         "the graph is for the fixed shape [4 6] of input: export it with a dynamic batch, torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim(\"batch\")},))",
			"two-inputs.pt2":    "more than one input: export a network whose forward takes the batch of examples alone",
			"two-outputs.pt2":   "more than one output, or one that is not a tensor: export a network whose forward returns the logits alone",
			"draws.pt2":         "node randperm (aten.randperm.default; generate.py:",
			"transposed.pt2":    "there and back share elements in another shape or order",
			"control-flow.pt2":  "is not supported: write the network without torch.cond",
		} {
			says(t, name, refused(t, "testdata/"+name), want)
		}
		says(t, "draws.pt2", refused(t, "testdata/draws.pt2"), "draws from libtorch's global generator")
	})
}

// Files of the oldest, the default and the newest release: 2.8 is refused above.
func TestReadsReleases(t *testing.T) {
	torchtest.NoLeak(t, func() {
		for _, release := range []string{"2.11.0", "2.15.0"} {
			p := load(t, "release-"+release+".pt2")
			if !strings.HasPrefix(p.Torch, release) || p.Input.String() != "[batch 1 8 8] float32" || export.ShapeString(p.Outputs) != "[batch 4]" {
				t.Errorf("%s: %+v", release, p.Description)
			}
			x := torch.NewGenerator(1, torch.CPU).Normal(0, 1, torch.Options{}, 3, 1, 8, 8)
			p.Forward(x, nn.Train(torch.NewGenerator(1, torch.CPU))).Sum().Backward()
		}
	})
}

// A network exported after model.eval() trains, and says what it lacks.
func TestEvaluationExport(t *testing.T) {
	torchtest.NoLeak(t, func() {
		p := load(t, "evaluation.pt2")
		if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], "export it after model.train()") {
			t.Errorf("warnings %q", p.Warnings)
		}
		mean := nn.StateDict(p.Parameters())["1.running_mean"]
		before := torch.Slice[float64](mean)
		p.Forward(torch.Ones(torch.Options{}, 4, 6), nn.Eval)
		torchtest.Close(t, "running mean after evaluation", mean, before, 0)
		p.Forward(torch.Ones(torch.Options{}, 4, 6), nn.Train(torch.NewGenerator(1, torch.CPU)))
		if fmt.Sprint(torch.Slice[float64](mean)) == fmt.Sprint(before) {
			t.Error("training left the running mean as it was")
		}
	})
}

func TestRefusesOtherFormats(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	archive := func(name string, entries ...string) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, e := range entries {
			w, err := z.CreateHeader(&zip.FileHeader{Name: "net/" + e, Method: zip.Store})
			if err == nil {
				_, err = w.Write([]byte("pt2"))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return file(name, b.Bytes())
	}
	whole, err := os.ReadFile("testdata/conv.pt2")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		file("empty", nil):                                                          "the file is empty",
		file("pickle", []byte("\x80\x02}q\x00X")):                                   "a pickle, which only Python reads",
		file("onnx", []byte("\x08\x08\x12\x07pytorch\x1a")):                         "it looks like ONNX",
		file("safetensors", []byte("\x10\x00\x00\x00\x00\x00\x00\x00{\"a\":1}")):    "it looks like safetensors",
		file("text", []byte("hello, this is text")):                                 "not a file of torch.export.save",
		file("truncated", whole[:len(whole)/2]):                                     "truncated or damaged",
		archive("script", "data.pkl", "constants.pkl", "code/__torch__.py"):         "TorchScript",
		archive("saved", "data.pkl", "data/0"):                                      "torch.save, which holds weights",
		archive("old", "serialized_exported_program.json", "serialized_state_dict"): "weights by pickle: this file is of torch 2.7 or earlier",
		archive("other", "a.txt"):                                                   "a zip file, but not one of torch.export.save",
		archive("compiled", "archive_format", "data/aotinductor/model"):             "AOTInductor",
		filepath.Join(dir, "none"):                                                  "no such file",
	} {
		says(t, filepath.Base(path), refused(t, path), want)
	}
}

// rewritten is conv.pt2 with one entry changed; a nil result leaves it out.
func rewritten(t *testing.T, entry string, method uint16, change func([]byte) []byte) string {
	t.Helper()
	z, err := zip.OpenReader("testdata/conv.pt2")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	found := false
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		var data bytes.Buffer
		if _, err := data.ReadFrom(r); err != nil {
			t.Fatal(err)
		}
		content, how := data.Bytes(), zip.Store
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
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if !found {
		t.Fatalf("no entry %s", entry)
	}
	path := filepath.Join(t.TempDir(), "changed.pt2")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Numbers that libtorch does not check: its kernels read or write beyond their tensors, which ends the process
// where one is run, or work without an end.
func TestRefusesWindows(t *testing.T) {
	const target = `"torch.ops.aten.conv2d.default"`
	number := func(name string, numbers ...int) string {
		return fmt.Sprintf(`{"name":%q,"arg":{"as_ints":%s},"kind":1}`, name, strings.ReplaceAll(fmt.Sprint(numbers), " ", ","))
	}
	torchtest.NoLeak(t, func() {
		for _, c := range []struct {
			op, want string
			numbers  []string
		}{
			{"col2im.default", "argument padding: 2147483648 is not in [-1048576, 1048576]", []string{
				number("output_size", 4, 4), number("kernel_size", 2, 2), number("dilation", 1, 1), number("padding", 1<<31, 0), number("stride", 1, 1)}},
			{"max_pool2d.default", "argument dilation: 2147483647 is not in", []string{
				number("kernel_size", 1, 3), number("stride", 1, 1), number("padding", 0, 1), number("dilation", 2, 1<<31-1)}},
			{"max_pool1d.default", "argument kernel_size: 2147483647 is not in", []string{
				number("kernel_size", 1<<31-1), number("stride", 1), number("padding", 0), number("dilation", 2)}},
			{"max_pool2d.default", "a window of size 1048576 with dilation 1048576 is wider than", []string{
				number("kernel_size", 1<<20, 1<<20), number("stride", 1, 1), number("padding", 0, 0), number("dilation", 1<<20, 1<<20)}},
			{"matrix_power.default", "argument n: -9223372036854775808 is not in [-1048576, 1048576]", []string{number("n", -1<<63)}},
			{"tensor_split.sections", "argument sections: 16777216 is not in [-4096, 4096]", []string{number("sections", 1<<24)}},
		} {
			path := rewritten(t, "models/model.json", zip.Store, func(b []byte) []byte {
				at := bytes.Index(b, []byte(target))
				if at < 0 {
					t.Fatal("no conv2d")
				}
				from := at + bytes.Index(b[at:], []byte(`"inputs": [`)) + len(`"inputs": [`)
				depth, to := 1, from
				for ; depth > 0; to++ {
					switch b[to] {
					case '[':
						depth++
					case ']':
						depth--
					}
				}
				input := b[from : from+bytes.Index(b[from:to], []byte(`}, {"name"`))+1]
				changed := slices.Concat(b[:from], input, []byte(","+strings.Join(c.numbers, ",")), b[to-1:])
				return bytes.Replace(changed, []byte(target), []byte(`"torch.ops.aten.`+c.op+`"`), 1)
			})
			says(t, c.op, refused(t, path), c.want)
		}
	})
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
			{model, zip.Store, func(b []byte) []byte { return b[:len(b)/2] }, "entry models/model.json is not the JSON that it should be"},
			{model, zip.Deflate, replace("", ""), "is compressed, which torch.export.save does not do"},
			{model, zip.Store, replace(`"major": 8`, `"major": 9`), "schema version 9"},
			{model, zip.Store, replace("torch.ops.aten.conv2d.default", "torch.ops.own.fold.default"), "node conv2d (own.fold.default; generate.py:"},
			{model, zip.Store, replace("torch.ops.aten.conv2d.default", "torch.ops.own.fold.default"), "own.fold.default is not among the operations that a file may call"},
			{model, zip.Store, replace("torch.ops.aten.sym_size.int", "_operator.matmul"), ""},
			{model, zip.Store, replace(`"name": "weight", "arg"`, `"name": "mass", "arg"`), "is given no argument weight"},
			{model, zip.Store, replace(`"name": "relu_"`, `"name": "lost"`), ""},
			{model, zip.Store, replace(`"as_tensor": {"name": "p_fc_bias"}`, `"as_tensor": {"name": "nothing"}`), `nothing before it computes "nothing"`},
			{model, zip.Store, func(b []byte) []byte {
				return bytes.Replace(b, []byte(`"device": {"type": "cpu", "index": null}`), []byte(`"device": {"type": "cuda", "index": 0}`), 1)
			}, "values of several devices: cpu ("},
			{weights, zip.Store, gone, "no tensor for conv1.weight"},
			{weights, zip.Store, replace(`"use_pickle": false`, `"use_pickle": true`), "weights by pickle"},
			{weights, zip.Store, replace(`"as_int": 4}`, `"as_int": 4000000000000}`), "needs 36000000000000 elements"},
			{weights, zip.Store, replace(`"sizes": [{"as_int": 4}`, `"sizes": [{"as_int": 40000}`), "needs 360000 elements"},
			{weights, zip.Store, func(b []byte) []byte {
				return replace(`"strides": [{"as_int": 9}`, `"strides": [{"as_int": 0}`)(replace(`"sizes": [{"as_int": 4}`, `"sizes": [{"as_int": 40}`)(b))
			}, "is expanded from fewer elements (strides [0 9 3 1]), which is not read: export it after .clone()"},
			{weights, zip.Store, replace(`"dtype": 7`, `"dtype": 9`), "elements of a type that tensors here do not have"},
			{weights, zip.Store, replace(`"storage_offset": {"as_int": 0}`, `"storage_offset": {"as_int": 5}`), "damaged"},
			{weights, zip.Store, replace(`"storage_offset": {"as_int": 0}`, `"storage_offset": {"as_int": -1}`), "damaged"},
			{"data/weights/weight_0", zip.Store, gone, "no entry data/weights/weight_0"},
			{"byteorder", zip.Store, replace("little", "big"), "big-endian"},
		} {
			got := ""
			if c.want == "" { // not in this file, or without effect: anything but a panic
				torch.Scope(func() { _, _ = export.Load(rewritten(t, c.entry, c.method, c.change), export.Options{}) })
				continue
			}
			got = refused(t, rewritten(t, c.entry, c.method, c.change))
			says(t, c.entry, got, c.want)
		}
	})
	// A bomb: entries that overlap, so that few bytes claim to be many.
	small, err := os.ReadFile(rewritten(t, "byteorder", zip.Store, replace("", "")))
	if err != nil {
		t.Fatal(err)
	}
	end := len(small) - 22 // the end record: entries at 8 and 10, size and place of the directory at 12 and 16
	size, start := binary.LittleEndian.Uint32(small[end+12:]), binary.LittleEndian.Uint32(small[end+16:])
	bomb := append(slices.Clone(small[:start]), bytes.Repeat(small[start:end], 20)...)
	record := slices.Clone(small[end:])
	for _, at := range []int{8, 10} {
		binary.LittleEndian.PutUint16(record[at:], 20*binary.LittleEndian.Uint16(record[at:]))
	}
	binary.LittleEndian.PutUint32(record[12:], 20*size)
	bombed := filepath.Join(t.TempDir(), "bomb.pt2")
	if err := os.WriteFile(bombed, append(bomb, record...), 0o666); err != nil {
		t.Fatal(err)
	}
	says(t, "overlapping entries", refused(t, bombed), "damaged: its entries claim more than the")
	// A bit of a weight: the zip's checksum finds it.
	whole, err := os.ReadFile("testdata/conv.pt2")
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range z.File {
		if strings.HasSuffix(e.Name, "/weight_0") {
			at, err := e.DataOffset()
			if err != nil {
				t.Fatal(err)
			}
			whole[at+5] ^= 1
		}
	}
	path := filepath.Join(t.TempDir(), "flipped.pt2")
	if err := os.WriteFile(path, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	says(t, "a flipped bit", refused(t, path), "damaged")
}

// first is conv.pt2 with nodes of another's hand before its own.
func first(t *testing.T, nodes ...string) string {
	t.Helper()
	return rewritten(t, "models/model.json", zip.Store, func(b []byte) []byte {
		return bytes.Replace(b, []byte(`"nodes": [`), []byte(`"nodes": [`+strings.Join(nodes, ", ")+", "), 1)
	})
}

// called is a node of an operation with one result; inputs are its arguments in JSON.
func called(op, result string, inputs ...string) string {
	var given []string
	for i := 0; i < len(inputs); i += 2 {
		given = append(given, fmt.Sprintf(`{"name": %q, "arg": %s, "kind": 1}`, inputs[i], inputs[i+1]))
	}
	return fmt.Sprintf(`{"target": "torch.ops.%s", "inputs": [%s], "outputs": [{"as_tensor": {"name": %q}}], "metadata": {}, "name": %q}`,
		op, strings.Join(given, ", "), result, result)
}

// A file's graph calls no operation that opens files, takes memory by its address or
// leaves its arguments to its callers to check.
func TestRefusesOperationsBeyondTensors(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("as it was"), 0o666); err != nil {
		t.Fatal(err)
	}
	torchtest.NoLeak(t, func() {
		written := first(t,
			called("aten.from_file.default", "f", "filename", fmt.Sprintf(`{"as_string": %q}`, victim), "shared", `{"as_bool": true}`, "size", `{"as_int": 9}`, "dtype", `{"as_scalar_type": 1}`),
			called("aten.fill_.Scalar", "g", "self", `{"as_tensor": {"name": "f"}}`, "value", `{"as_int": 65}`))
		says(t, "a file of another", refused(t, written), "aten.from_file.default is not among the operations that a file may call")
		if _, err := export.Describe(written); err == nil {
			t.Error("it is described")
		}
		for _, op := range []string{
			"inductor._reinterpret_tensor.default", "mkldnn._convolution_pointwise.default", "prims.as_strided.default",
			"aten.set_.source_Storage_storage_offset", "aten.resize_.default", "aten._resize_output_.default", "aten.as_strided.default", "aten.as_strided_.default",
			"aten.data.default", "aten.set_data.default", "aten.empty_strided.default", "aten.view.dtype", "aten._unsafe_view.default", "aten.unsafe_split.Tensor",
			"aten._index_put_impl_.default", "aten.embedding_bag.default", "aten.repeat_interleave.Tensor", "aten.upsample_nearest2d.default", "aten.lstm.data",
			"aten._weight_norm_interface.default", "aten._embedding_bag_dense_backward.default", "aten.max_pool2d_with_indices_backward.default", "aten.segment_reduce.default",
			"aten.sparse_csr_tensor.crow_col_value_size", "aten._sparse_coo_tensor_unsafe.default", "aten.linalg_lu_solve.default", "aten.rrelu_with_noise.default", "aten.grid_sampler.default",
		} {
			says(t, op, refused(t, first(t, called(op, "f"))), op+" is not among the operations that a file may call")
		}
	})
	if got, err := os.ReadFile(victim); err != nil || string(got) != "as it was" {
		t.Errorf("the file holds %q (%v)", got, err)
	}
}

// Arguments of nodes in JSON.

func tensorArg(name string) string { return fmt.Sprintf(`{"as_tensor": {"name": %q}}`, name) }
func intArg(n int) string          { return fmt.Sprintf(`{"as_int": %d}`, n) }
func intsArg(n ...int) string {
	return fmt.Sprintf(`{"as_ints": %s}`, strings.ReplaceAll(fmt.Sprint(n), " ", ","))
}

// powerOfBatch is nodes that compute the size s, a power of the size of the batch.
func powerOfBatch(exponent int) []string {
	const size, power = `{"as_sym_int": {"as_name": "n"}}`, `{"as_sym_int": {"as_name": "s"}}`
	return []string{
		fmt.Sprintf(`{"target": "torch.ops.aten.sym_size.int", "inputs": [{"name": "self", "arg": %s, "kind": 1}, {"name": "dim", "arg": %s, "kind": 1}], "outputs": [%s], "metadata": {}}`, tensorArg("x"), intArg(0), size),
		fmt.Sprintf(`{"target": "_operator.pow", "inputs": [{"name": "a", "arg": %s, "kind": 1}, {"name": "b", "arg": %s, "kind": 1}], "outputs": [%s], "metadata": {}}`, size, intArg(exponent), power),
	}
}

// tooMuch is nodes that ask for more than any network needs. The last one, f, does.
func tooMuch() []struct {
	what, want string
	nodes      []string
} {
	const large, bytes = 1 << 42, "bytes at once, and a node of a graph may take 8589934592: give the network fewer examples at a time"
	const byteType, longType, doubleType = `{"as_scalar_type": 1}`, `{"as_scalar_type": 5}`, `{"as_scalar_type": 8}`
	f := func(op string, inputs ...string) string { return called("aten."+op, "f", inputs...) }
	ones := func(name string, size ...int) string {
		return called("aten.ones.default", name, "size", intsArg(size...))
	}
	view := func(n ...int) string {
		return called("aten.expand.default", "v", "self", tensorArg("o"), "size", intsArg(n...))
	}
	gru := func(input, hx string) []string {
		return []string{ones("o", 1, 1, 1), view(1<<21, 1, 1), ones("w", 3, 1),
			f("gru.input", "input", tensorArg(input), "hx", tensorArg(hx), "params", `{"as_tensors": [{"name": "w"}, {"name": "w"}]}`, "has_biases", `{"as_bool": false}`,
				"num_layers", intArg(1), "dropout", `{"as_float": 0}`, "train", `{"as_bool": false}`, "bidirectional", `{"as_bool": false}`, "batch_first", `{"as_bool": false}`)}
	}
	return []struct {
		what, want string
		nodes      []string
	}{
		{"zeros", bytes, []string{f("zeros.default", "size", intsArg(large))}},
		{"a power of the batch", bytes, append(powerOfBatch(21), f("zeros.default", "size", `{"as_sym_ints": [{"as_name": "s"}]}`))},
		{"full", bytes, []string{f("full.default", "size", intsArg(1<<21, 1<<21), "fill_value", intArg(1))}},
		{"empty", bytes, []string{f("empty.memory_format", "size", intsArg(large))}},
		{"a byte too many", "it needs 8589934593 " + bytes, []string{f("empty.memory_format", "size", intsArg(1<<33+1), "dtype", byteType)}},
		{"arange", bytes, []string{f("arange.default", "end", intArg(large))}},
		{"rand", bytes, []string{f("rand.default", "size", intsArg(large))}},
		{"pooling", bytes, []string{f("adaptive_avg_pool2d.default", "self", tensorArg("x"), "output_size", intsArg(1<<20, 1<<20))}},
		{"upsampling", bytes, []string{f("upsample_nearest2d.vec", "input", tensorArg("x"), "output_size", intsArg(1<<20, 1<<20), "scale_factors", `{"as_none": true}`)}},
		{"padding", bytes, []string{f("constant_pad_nd.default", "self", tensorArg("x"), "pad", intsArg(1<<20, 1<<20, 1<<20, 1<<20))}},
		{"repeat", bytes, []string{f("repeat.default", "self", tensorArg("x"), "repeats", intsArg(1, 1, 1<<20, 1<<20))}},
		{"one_hot", bytes, []string{called("aten.arange.default", "o", "end", intArg(9)), f("one_hot.default", "self", tensorArg("o"), "num_classes", intArg(large))}},
		{"an outer product", bytes, []string{ones("o", 1<<21), f("outer.default", "self", tensorArg("o"), "vec2", tensorArg("o"))}},
		{"a broadcast", bytes, []string{ones("o", 1, 1<<21), ones("p", 1<<21, 1), f("add.Tensor", "self", tensorArg("o"), "other", tensorArg("p"))}},
		{"a copy of a view", bytes, []string{ones("o", 1), view(1 << 31), f("to.dtype", "self", tensorArg("v"), "dtype", doubleType)}},
		{"a view", "it makes 2147483649 elements, and a node of a graph may make 2147483648", []string{ones("o", 1), f("expand.default", "self", tensorArg("o"), "size", intsArg(1<<31+1))}},
		{"unbind", "it makes 16777216 tensors, and the graph has names for 1", []string{ones("o", 1), view(1 << 24), f("unbind.int", "self", tensorArg("v"))}},
		{"split", "it makes 8388608 tensors", []string{ones("o", 1), view(1 << 24), f("split.Tensor", "self", tensorArg("v"), "split_size", intArg(2))}},
		{"chunks", "it makes 16777216 tensors", []string{ones("o", 1), view(1 << 24), f("chunk.default", "self", tensorArg("v"), "chunks", intArg(large))}},
		{"chunks of nothing", "it makes 4398046511104 tensors", []string{ones("o", 0), f("chunk.default", "self", tensorArg("o"), "chunks", intArg(large))}},
		{"sections", "it makes 16777216 tensors", []string{called("aten.full.default", "o", "size", intsArg(), "fill_value", intArg(1<<24), "dtype", longType),
			f("tensor_split.tensor_indices_or_sections", "self", tensorArg("x"), "tensor_indices_or_sections", tensorArg("o"))}},
		{"steps", "a recurrent layer of 2097152 steps", gru("v", "o")},
		{"layers", "a recurrent layer of 2097152 steps", gru("o", "v")},
		{"a power of a matrix", "argument n depends on the batch", append(powerOfBatch(2), ones("o", 2, 2), f("matrix_power.default", "self", tensorArg("o"), "n", `{"as_sym_int": {"as_name": "s"}}`))},
	}
}

// What a graph asks for beyond the limits of a node ends with an error before it is taken.
func TestRefusesTooMuch(t *testing.T) {
	run := func(nodes ...string) error {
		p, err := export.Load(first(t, nodes...), export.Options{})
		if err != nil {
			return err
		}
		return torch.Try(func() error {
			p.Forward(torch.Ones(torch.Options{}, 4, 1, 8, 8), nn.Train(torch.NewGenerator(1, torch.CPU)))
			return nil
		})
	}
	torchtest.NoLeak(t, func() {
		for _, c := range tooMuch() {
			if err := run(c.nodes...); err == nil {
				t.Errorf("%s: no error", c.what)
			} else {
				says(t, c.what, err.Error(), c.want)
				says(t, c.what, err.Error(), "node f (aten.")
			}
		}
		if err := run(called("aten.ones.default", "o", "size", intsArg(1)), called("aten.expand.default", "v", "self", tensorArg("o"), "size", intsArg(1<<31))); err != nil {
			t.Errorf("a view as large as it may be: %v", err)
		}
	})
}

// Whatever is done to a file, Load ends in an error or in a network, and that in an
// error or in logits.
func TestDamageNeverPanics(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	torchtest.NoLeak(t, func() {
		loaded := 0
		for range 150 {
			path := rewritten(t, "models/model.json", zip.Store, func(b []byte) []byte {
				for range 1 + rng.IntN(3) {
					at := rng.IntN(len(b))
					switch rng.IntN(3) {
					case 0: // a digit, where there is one
						for i := range 200 {
							if j := (at + i) % len(b); b[j] >= '0' && b[j] <= '9' {
								b[j] = byte('0' + rng.IntN(10))
								break
							}
						}
					case 1: // a letter of a name or a kind
						for i := range 200 {
							if j := (at + i) % len(b); b[j] >= 'a' && b[j] <= 'z' {
								b[j] = byte('a' + rng.IntN(26))
								break
							}
						}
					case 2:
						b[at] = byte(rng.IntN(128))
					}
				}
				return b
			})
			torch.Scope(func() {
				p, err := export.Load(path, export.Options{})
				if err != nil {
					return
				}
				loaded++
				_ = torch.Try(func() error {
					shape := []int{4}
					for _, n := range p.Input.Shape[1:] {
						shape = append(shape, min(max(n, 1), 64))
					}
					p.Forward(torch.Zeros(torch.Options{}, shape...), nn.Train(torch.NewGenerator(1, torch.CPU)))
					return nil
				})
			})
		}
		if loaded == 0 || loaded == 150 {
			t.Errorf("%d of 150 damaged files were loaded", loaded)
		}
	})
}

func TestForwardRefusesOtherShapes(t *testing.T) {
	torchtest.NoLeak(t, func() {
		p := load(t, "conv.pt2")
		err := torch.Try(func() error { p.Forward(torch.Ones(torch.Options{}, 2, 1, 8, 9), nn.Eval); return nil })
		if err == nil || !torch.IsKind(err, torch.Shape) {
			t.Fatalf("error is %v", err)
		}
		says(t, "shape", err.Error(), "examples [2 1 8 9], it was exported for [batch 1 8 8] float32")
		// An error of an operation names its node.
		p = load(t, "text.pt2")
		err = torch.Try(func() error { p.Forward(torch.Full(60, torch.Options{}, 3, 12), nn.Eval); return nil })
		if err == nil || !torch.IsKind(err, torch.Index) {
			t.Fatalf("word 60 of 50: %v", err)
		}
		says(t, "node", err.Error(), "node embedding (aten.embedding.default; generate.py:")
		// One example has no variance.
		p = load(t, "evaluation.pt2")
		err = torch.Try(func() error {
			p.Forward(torch.Ones(torch.Options{}, 1, 6), nn.Train(torch.NewGenerator(1, torch.CPU)))
			return nil
		})
		if err == nil {
			t.Fatal("a batch of one was normalised")
		}
		says(t, "a batch of one", err.Error(), "more than one value")
	})
}

// Roles decide weight decay; names are those of state_dict, tied and frozen ones
// included.
func TestParameters(t *testing.T) {
	torchtest.NoLeak(t, func() {
		roles := map[string]nn.Role{}
		for _, p := range load(t, "zoo.pt2").Parameters() {
			roles[p.Name] = p.Role
		}
		for name, want := range map[string]nn.Role{
			"lstm.weight_ih_l0": nn.Weight, "lstm.bias_ih_l0": nn.Bias, "instance.weight": nn.Norm, "instance.running_mean": nn.Buffer,
			"group.bias": nn.Norm, "scale": nn.Bias, "fc.weight": nn.Weight, "fc.bias": nn.Bias,
			"frozen.weight": nn.Buffer, "instance.num_batches_tracked": nn.Buffer,
		} {
			if got, known := roles[name]; !known || got != want {
				t.Errorf("role of %s is %v (%v), want %v", name, got, known, want)
			}
		}
		if roles["tied.weight"] == roles["again.weight"] || len(roles) != 20 {
			t.Errorf("%d names: %v", len(roles), roles)
		}
	})
}
