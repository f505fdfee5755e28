package auditbench

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/tools/measured"
)

// audited is an audit by the program in a process of its own.
type audited struct {
	folder  *audit.Folder
	summary audit.Summary
	seconds float64 // from start to exit
	peakMiB int64   // of the program, or of this process where that is larger: the system counts a child from its fork
}

// folder is that of the audits.
func (b *bench) folder() *audit.Folder { return audit.At(filepath.Join(b.Work, "audit")) }

// audit runs losscorr audit with its defaults into a new folder.
func (b *bench) audit(ctx context.Context, arguments ...string) (audited, error) {
	if err := os.RemoveAll(b.folder().Dir()); err != nil {
		return audited{}, err
	}
	return b.auditAgain(ctx, arguments...)
}

// auditAgain runs it into the folder of the last audit, and notes where its networks were trained.
func (b *bench) auditAgain(ctx context.Context, arguments ...string) (a audited, err error) {
	a.folder = b.folder()
	begun := time.Now()
	state, err := measured.Run(ctx, b.Program, append([]string{"audit", "--out", a.folder.Dir(), "--quiet"}, arguments...)...)
	if err != nil {
		return a, err
	}
	a.seconds = time.Since(begun).Seconds()
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		a.peakMiB = usage.Maxrss >> 10 // of KiB
		if runtime.GOOS == "darwin" {
			a.peakMiB >>= 10 // of bytes
		}
	}
	if b.environment, err = measured.Environment(a.folder); err != nil {
		return a, err
	}
	a.summary, err = a.folder.Summary()
	return a, err
}
