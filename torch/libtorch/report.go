package libtorch

import (
	"context"
	"errors"
	"io/fs"
)

// Report is what losscorr doctor tells of libtorch and the shim: all that can be
// known without opening either.
type Report struct {
	Libtorch      *Install  `json:"libtorch"`       // nil when none was found
	LibtorchError string    `json:"libtorch_error"` // why not
	Shim          *Shim     `json:"shim"`           // nil when none can be used
	ShimTried     []Attempt `json:"shim_tried"`     // places that did not serve
	SourceHash    string    `json:"source_hash"`    // of the shim's sources in this program
	CUDAShim      string    `json:"cuda_shim"`      // its path, or ""
	CUDAReason    string    `json:"cuda_reason"`    // why there is no CUDA shim, or ""
	Tools         []Tool    `json:"tools"`          // needed by losscorr setup
	Mend          []string  `json:"mend"`           // what to do, in order; empty when all is well
}

// Examine gathers a Report. The error is one of the program itself: what is
// missing on the machine stands in the report.
func Examine(ctx context.Context, sources fs.FS) (Report, error) {
	var r Report
	var err error
	if r.SourceHash, err = SourceHash(sources); err != nil {
		return r, err
	}
	in, err := Find(FindOptions{})
	if err == nil {
		r.Libtorch = &in
	} else {
		r.LibtorchError = err.Error()
	}
	shim, err := Locate(sources)
	var missing *NotFoundError
	switch {
	case err == nil:
		r.Shim, r.ShimTried = &shim, shim.Tried
	case errors.As(err, &missing):
		r.ShimTried = missing.Tried
	default:
		return r, err
	}
	tools, advice, err := Prerequisites(ctx, SetupTools...)
	if err != nil {
		return r, err
	}
	r.Tools = tools
	r.explainCUDA()
	if r.Shim == nil {
		if advice != "" {
			r.Mend = append(r.Mend, advice)
		}
		r.Mend = append(r.Mend, "run `losscorr setup`: it finds or fetches libtorch and builds the shim for it")
	}
	return r, nil
}

func (r *Report) explainCUDA() {
	if r.Shim == nil {
		r.CUDAReason = "there is no shim"
		return
	}
	if r.CUDAReason = r.Shim.WhyNoCUDA(); r.CUDAReason == "" {
		r.CUDAShim, _ = r.Shim.CUDAPath()
	}
}
