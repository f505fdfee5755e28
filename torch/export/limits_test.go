package export_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/torch"
	"github.com/losscorr/losscorr/torch/export"
	"github.com/losscorr/losscorr/torch/nn"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// first is conv.pt2 with nodes of another's hand before its own.
func first(t *testing.T, nodes ...string) string {
	t.Helper()
	return firstOf(t, "conv.pt2", nodes...)
}

func firstOf(t *testing.T, name string, nodes ...string) string {
	t.Helper()
	return rewrittenFile(t, name, "models/model.json", zip.Store, func(b []byte) []byte {
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
	expect.OK(t, os.WriteFile(victim, []byte("as it was"), 0o666))
	torchtest.NoLeak(t, func() {
		written := first(t,
			called("aten.from_file.default", "f", "filename", fmt.Sprintf(`{"as_string": %q}`, victim), "shared",
				`{"as_bool": true}`, "size", `{"as_int": 9}`, "dtype", `{"as_scalar_type": 1}`),
			called("aten.fill_.Scalar", "g", "self", `{"as_tensor": {"name": "f"}}`, "value", `{"as_int": 65}`))
		refused(t, written, "aten.from_file.default is not among the operations that a file may call")
		if _, err := export.Describe(written); err == nil {
			t.Error("it is described")
		}
		for _, op := range []string{
			"inductor._reinterpret_tensor.default", "mkldnn._convolution_pointwise.default", "prims.as_strided.default",
			"aten.set_.source_Storage_storage_offset", "aten.resize_.default", "aten._resize_output_.default",
			"aten.as_strided.default", "aten.as_strided_.default",
			"aten.data.default", "aten.set_data.default", "aten.empty_strided.default", "aten.view.dtype",
			"aten._unsafe_view.default", "aten.unsafe_split.Tensor",
			"aten._index_put_impl_.default", "aten.embedding_bag.default", "aten.repeat_interleave.Tensor",
			"aten.upsample_nearest2d.default", "aten.lstm.data",
			"aten._weight_norm_interface.default", "aten._embedding_bag_dense_backward.default",
			"aten.max_pool2d_with_indices_backward.default", "aten.segment_reduce.default",
			"aten.sparse_csr_tensor.crow_col_value_size", "aten._sparse_coo_tensor_unsafe.default",
			"aten.linalg_lu_solve.default", "aten.rrelu_with_noise.default", "aten.grid_sampler.default",
		} {
			refused(t, first(t, called(op, "f")), op+" is not among the operations that a file may call")
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
	result := strings.NewReplacer(`{"as_tensor": {"name": "n"}}`, size, `{"as_tensor": {"name": "s"}}`, power)
	pow := result.Replace(called("aten.pow", "s", "a", size, "b", intArg(exponent)))
	return []string{
		result.Replace(called("aten.sym_size.int", "n", "self", tensorArg("x"), "dim", intArg(0))),
		strings.Replace(pow, "torch.ops.aten.pow", "_operator.pow", 1),
	}
}

type asking struct {
	what, want string
	nodes      []string
}

// tooMuch is nodes that ask for more than any network needs. The last one, f, does.
func tooMuch() []asking {
	const large, bytes = 1 << 42,
		"bytes at once, and a node of a graph may take 8589934592: give the network fewer examples at a time"
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
			f("gru.input", "input", tensorArg(input), "hx", tensorArg(hx), "params",
				`{"as_tensors": [{"name": "w"}, {"name": "w"}]}`, "has_biases", `{"as_bool": false}`,
				"num_layers", intArg(1), "dropout", `{"as_float": 0}`, "train", `{"as_bool": false}`, "bidirectional",
				`{"as_bool": false}`, "batch_first", `{"as_bool": false}`)}
	}
	return []asking{
		{"zeros", bytes, []string{f("zeros.default", "size", intsArg(large))}},
		{"a power of the batch", bytes,
			append(powerOfBatch(21), f("zeros.default", "size", `{"as_sym_ints": [{"as_name": "s"}]}`))},
		{"full", bytes, []string{f("full.default", "size", intsArg(1<<21, 1<<21), "fill_value", intArg(1))}},
		{"empty", bytes, []string{f("empty.memory_format", "size", intsArg(large))}},
		{"a byte too many", "it needs 8589934593 " + bytes,
			[]string{f("empty.memory_format", "size", intsArg(1<<33+1), "dtype", byteType)}},
		{"arange", bytes, []string{f("arange.default", "end", intArg(large))}},
		{"rand", bytes, []string{f("rand.default", "size", intsArg(large))}},
		{"pooling", bytes, []string{f("adaptive_avg_pool2d.default", "self", tensorArg("x"), "output_size",
			intsArg(1<<20, 1<<20))}},
		{"upsampling", bytes, []string{f("upsample_nearest2d.vec", "input", tensorArg("x"), "output_size",
			intsArg(1<<20, 1<<20), "scale_factors", `{"as_none": true}`)}},
		{"padding", bytes, []string{f("constant_pad_nd.default", "self", tensorArg("x"), "pad",
			intsArg(1<<20, 1<<20, 1<<20, 1<<20))}},
		{"repeat", bytes, []string{f("repeat.default", "self", tensorArg("x"), "repeats", intsArg(1, 1, 1<<20, 1<<20))}},
		{"one_hot", bytes, []string{called("aten.arange.default", "o", "end", intArg(9)),
			f("one_hot.default", "self", tensorArg("o"), "num_classes", intArg(large))}},
		{"an outer product", bytes, []string{ones("o", 1<<21), f("outer.default", "self", tensorArg("o"), "vec2",
			tensorArg("o"))}},
		{"a broadcast", bytes, []string{ones("o", 1, 1<<21), ones("p", 1<<21, 1), f("add.Tensor", "self", tensorArg("o"),
			"other", tensorArg("p"))}},
		{"a copy of a view", bytes, []string{ones("o", 1), view(1 << 31), f("to.dtype", "self", tensorArg("v"), "dtype",
			doubleType)}},
		{"a view", "it makes 2147483649 elements, and a node of a graph may make 2147483648",
			[]string{ones("o", 1), f("expand.default", "self", tensorArg("o"), "size", intsArg(1<<31+1))}},
		{"unbind", "it makes 16777216 tensors, and the graph has names for 1", []string{ones("o", 1), view(1 << 24),
			f("unbind.int", "self", tensorArg("v"))}},
		{"split", "it makes 8388608 tensors", []string{ones("o", 1), view(1 << 24), f("split.Tensor", "self", tensorArg("v"),
			"split_size", intArg(2))}},
		{"chunks", "it makes 16777216 tensors", []string{ones("o", 1), view(1 << 24),
			f("chunk.default", "self", tensorArg("v"), "chunks", intArg(large))}},
		{"chunks of nothing", "it makes 4398046511104 tensors",
			[]string{ones("o", 0), f("chunk.default", "self", tensorArg("o"), "chunks", intArg(large))}},
		{"sections", "it makes 16777216 tensors", []string{called("aten.full.default", "o", "size", intsArg(), "fill_value",
			intArg(1<<24), "dtype", longType),
			f("tensor_split.tensor_indices_or_sections", "self", tensorArg("x"), "tensor_indices_or_sections", tensorArg("o"))}},
		{"steps", "a recurrent layer of 2097152 steps", gru("v", "o")},
		{"layers", "a recurrent layer of 2097152 steps", gru("o", "v")},
		{"a power of a matrix", "argument n depends on the batch", append(powerOfBatch(2), ones("o", 2, 2),
			f("matrix_power.default", "self", tensorArg("o"), "n", `{"as_sym_int": {"as_name": "s"}}`))},
	}
}

// What a graph asks for beyond the limits of a node ends with an error before it is taken.
func TestRefusesTooMuch(t *testing.T) {
	torchtest.OnCPU(t)
	run := func(nodes ...string) error {
		p, err := export.Load(first(t, nodes...), export.Options{Device: device})
		if err != nil {
			return err
		}
		return torch.Try(func() error {
			p.Forward(torch.Ones(f32, 4, 1, 8, 8), nn.Train(torch.NewGenerator(1, device)))
			return nil
		})
	}
	for _, c := range tooMuch() {
		torchtest.Case(t, c.what, func(t *testing.T) { expect.Says(t, run(c.nodes...), c.want, "node f (aten.") })
	}
	torchtest.NoLeak(t, func() {
		// A view as large as it may be.
		one := called("aten.ones.default", "o", "size", intsArg(1))
		expect.OK(t, run(one, called("aten.expand.default", "v", "self", tensorArg("o"), "size", intsArg(1<<31))))
	})
}
