package audit

import (
	"errors"
	"io/fs"

	"github.com/losscorr/losscorr/internal/npy"
)

// WriteProbabilities writes probabilities.npy: posteriors [N C], one after the other,
// in the order of the data. Panics if the number of classes does not divide theirs.
func (f *Folder) WriteProbabilities(values []float32, classes int) error {
	return f.writePosteriors(ProbabilitiesFile, values, classes)
}

// WriteNoisy writes noisy_probabilities.npy, as WriteProbabilities does.
func (f *Folder) WriteNoisy(values []float32, classes int) error {
	return f.writePosteriors(NoisyFile, values, classes)
}

// Probabilities reads probabilities.npy.
func (f *Folder) Probabilities() (values []float32, classes int, err error) {
	return f.posteriors(ProbabilitiesFile)
}

// Noisy reads noisy_probabilities.npy.
func (f *Folder) Noisy() (values []float32, classes int, err error) {
	return f.posteriors(NoisyFile)
}

func (f *Folder) writePosteriors(name string, values []float32, classes int) error {
	if err := f.make(); err != nil {
		return err
	}
	return npy.WriteFloat32(f.Path(name), values, classes)
}

func (f *Folder) posteriors(name string) (values []float32, classes int, err error) {
	a, err := npy.Open(f.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, f.missing(name)
	}
	if err != nil {
		return nil, 0, f.damaged(name, "%w", err)
	}
	defer a.Close()
	if len(a.Shape) != 2 || a.Shape[1] < 1 {
		return nil, 0, f.damaged(name, "an array %v, want [examples classes]", a.Shape)
	}
	if values, err = a.Float32s(); err != nil {
		return nil, 0, f.damaged(name, "%w", err)
	}
	for k, v := range values {
		if !(v >= 0 && v <= 1+1e-5) {
			return nil, 0, f.damaged(name, "example %d: %v is no probability", k/a.Shape[1], v)
		}
	}
	return values, a.Shape[1], nil
}
