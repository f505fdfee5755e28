package audit

import (
	"encoding/binary"
	"errors"
	"io/fs"

	"github.com/losscorr/losscorr/internal/npy"
)

// WriteProbabilities writes probabilities.npy: posteriors [N C] in the order of the data.
// Panics if len(values) is not a multiple of classes.
func (f *Folder) WriteProbabilities(values []float32, classes int) error {
	return npy.WriteFloat32(f.Path(ProbabilitiesFile), values, classes)
}

// Posteriors reads ProbabilitiesFile or NoisyFile.
func (f *Folder) Posteriors(name string) (values []float32, classes int, err error) {
	values, shape, err := npy.ReadFloat32(f.Path(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, f.missing(name)
	case err != nil:
		return nil, 0, f.damaged(name, "%w", err)
	case len(shape) != 2 || shape[1] < 1:
		return nil, 0, f.damaged(name, "shape %v, want [examples classes]", shape)
	}
	for k, v := range values {
		if !(v >= 0 && v <= 1+1e-5) {
			return nil, 0, f.damaged(name, "example %d: %v is not a probability", k/shape[1], v)
		}
	}
	return values, shape[1], nil
}

// WriteSums writes content_hashes.npy: [N 8] bytes, own.Original.Sum of each example in the
// order of the data. It writes nothing if sums is nil.
func (f *Folder) WriteSums(sums []uint64) error {
	if sums == nil {
		return nil
	}
	raw := make([]byte, 0, 8*len(sums))
	for _, sum := range sums {
		raw = binary.LittleEndian.AppendUint64(raw, sum)
	}
	return npy.WriteBytes(f.Path(SumsFile), raw, 8)
}

// Sums reads content_hashes.npy, or returns nil if the audit wrote none.
func (f *Folder) Sums() ([]uint64, error) {
	a, err := npy.Open(f.Path(SumsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, f.damaged(SumsFile, "%w", err)
	}
	defer a.Close()
	if len(a.Shape) != 2 || a.Shape[1] != 8 {
		return nil, f.damaged(SumsFile, "shape %v, want [N 8]", a.Shape)
	}
	raw, err := a.Bytes()
	if err != nil {
		return nil, f.damaged(SumsFile, "%w", err)
	}
	sums := make([]uint64, a.Shape[0])
	for k := range sums {
		sums[k] = binary.LittleEndian.Uint64(raw[8*k:])
	}
	return sums, nil
}
