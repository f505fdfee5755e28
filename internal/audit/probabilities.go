package audit

import (
	"errors"
	"io/fs"

	"github.com/losscorr/losscorr/internal/npy"
)

// WriteProbabilities writes probabilities.npy: posteriors [N C] in the order of the data.
// Panics if len(values) is not a multiple of classes.
func (f *Folder) WriteProbabilities(values []float32, classes int) error {
	return npy.WriteFloat32(f.Path(ProbabilitiesFile), values, classes)
}

// WriteNoisy writes noisy_probabilities.npy, as WriteProbabilities does.
func (f *Folder) WriteNoisy(values []float32, classes int) error {
	return npy.WriteFloat32(f.Path(NoisyFile), values, classes)
}

// Probabilities reads probabilities.npy.
func (f *Folder) Probabilities() (values []float32, classes int, err error) {
	return f.posteriors(ProbabilitiesFile)
}

// Noisy reads noisy_probabilities.npy.
func (f *Folder) Noisy() (values []float32, classes int, err error) {
	return f.posteriors(NoisyFile)
}

func (f *Folder) posteriors(name string) (values []float32, classes int, err error) {
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
