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
	"github.com/losscorr/losscorr/torch/export"
	"github.com/losscorr/losscorr/torch/torchtest"
)

// first returns conv.pt2 with injected nodes before its own.
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

// called returns a node of an operation with one result; inputs are its arguments in JSON.
func called(op, result string, inputs ...string) string {
	var given []string
	for i := 0; i < len(inputs); i += 2 {
		given = append(given, fmt.Sprintf(`{"name": %q, "arg": %s, "kind": 1}`, inputs[i], inputs[i+1]))
	}
	return fmt.Sprintf(`{"target": "torch.ops.%s", "inputs": [%s], "outputs": [{"as_tensor": {"name": %q}}], "metadata": {}, "name": %q}`,
		op, strings.Join(given, ", "), result, result)
}

// A file's graph cannot call operations that open files or take memory addresses.
func TestRefusesOperationsBeyondTensors(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	expect.OK(t, os.WriteFile(victim, []byte("as it was"), 0o666))
	torchtest.NoLeak(t, func() {
		written := first(t,
			called("aten.from_file.default", "f", "filename", fmt.Sprintf(`{"as_string": %q}`, victim), "shared",
				`{"as_bool": true}`, "size", `{"as_int": 9}`, "dtype", `{"as_scalar_type": 1}`),
			called("aten.fill_.Scalar", "g", "self", `{"as_tensor": {"name": "f"}}`, "value", `{"as_int": 65}`))
		refused(t, written, "aten.from_file.default is not among the operations that a file may call")
		expect.Fails(t, expect.Err(export.Describe(written)), "aten.from_file.default")
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
	expect.Same(t, "as it was", string(expect.Got(os.ReadFile(victim))(t)), "the file")
}

// tensorArg is an argument of a node in JSON.
func tensorArg(name string) string { return fmt.Sprintf(`{"as_tensor": {"name": %q}}`, name) }
