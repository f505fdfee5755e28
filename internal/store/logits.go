package store

import (
	"fmt"

	"github.com/losscorr/losscorr/internal/npy"
)

// WriteLogits writes the selected network's outputs [N C] for the fold that the run left out.
func (f *Folder) WriteLogits(logits []float32, classes int) error {
	if err := f.Check(); err != nil {
		return err
	}
	if err := npy.WriteFloat32(f.Path(LogitsFile), logits, classes); err != nil {
		return fmt.Errorf("run %s: write %s: %w", f.ID, LogitsFile, err)
	}
	return nil
}

// Logits reads LogitsFile for n examples and c classes.
func (f *Folder) Logits(n, c int) ([]float32, error) {
	a, err := npy.Open(f.Path(LogitsFile))
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", f.name(), err)
	}
	defer a.Close()
	logits, err := a.Float32s()
	if err == nil && len(logits) != n*c {
		err = fmt.Errorf("%s has %v numbers, want %d rows of %d", LogitsFile, a.Shape, n, c)
	}
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", f.name(), err)
	}
	return logits, nil
}
