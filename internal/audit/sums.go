package audit

import (
	"encoding/binary"
	"errors"
	"io/fs"

	"github.com/losscorr/losscorr/internal/npy"
)

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
