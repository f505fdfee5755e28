package audit

import (
	"errors"
	"io/fs"

	"github.com/losscorr/losscorr/internal/npy"
)

// WriteProbabilities writes probabilities.npy: posteriors [N C], one after the other,
// in the order of the data. Panics if the number of classes does not divide theirs.
func (f *Folder) WriteProbabilities(values []float32, classes int) error {
	if err := f.make(); err != nil {
		return err
	}
	return npy.WriteFloat32(f.Path(ProbabilitiesFile), values, classes)
}

// Probabilities reads probabilities.npy.
func (f *Folder) Probabilities() (values []float32, classes int, err error) {
	a, err := npy.Open(f.Path(ProbabilitiesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, f.missing(ProbabilitiesFile)
	}
	if err != nil {
		return nil, 0, f.damaged(ProbabilitiesFile, "%w", err)
	}
	defer a.Close()
	if len(a.Shape) != 2 || a.Shape[1] < 1 {
		return nil, 0, f.damaged(ProbabilitiesFile, "an array %v, want [examples classes]", a.Shape)
	}
	if values, err = a.Float32s(); err != nil {
		return nil, 0, f.damaged(ProbabilitiesFile, "%w", err)
	}
	for k, v := range values {
		if !(v >= 0 && v <= 1+1e-5) {
			return nil, 0, f.damaged(ProbabilitiesFile, "example %d: %v is no probability", k/a.Shape[1], v)
		}
	}
	return values, a.Shape[1], nil
}
