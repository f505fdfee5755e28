package auditbench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/losscorr/losscorr/audit"
	"github.com/losscorr/losscorr/store"
)

// audited is an audit by the program in a process of its own.
type audited struct {
	folder  *audit.Folder
	summary audit.Summary
	seconds float64 // from start to exit
	peakMiB int64   // of the program, or of this process where that is larger: the system counts a child from its fork
}

// audit runs losscorr audit with its defaults into a new folder.
func (b *bench) audit(ctx context.Context, arguments ...string) (audited, error) {
	a := audited{folder: audit.At(filepath.Join(b.Work, "audit"))}
	if err := os.RemoveAll(a.folder.Dir()); err != nil {
		return a, err
	}
	cmd := exec.CommandContext(ctx, b.Program, append([]string{"audit", "--out", a.folder.Dir(), "--quiet"}, arguments...)...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	begun := time.Now()
	if err := cmd.Run(); err != nil {
		return a, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, complaint.String())
	}
	a.seconds = time.Since(begun).Seconds()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		a.peakMiB = usage.Maxrss >> 10 // of KiB
		if runtime.GOOS == "darwin" {
			a.peakMiB >>= 10 // of bytes
		}
	}
	var err error
	a.summary, err = a.folder.Summary()
	return a, err
}

// environment returns where the networks of an audit were trained.
func (a audited) environment() (store.Environment, error) {
	var e store.Environment
	files, err := filepath.Glob(a.folder.Path(audit.RunsDir, "*", "env.json"))
	if err != nil || len(files) == 0 {
		return e, fmt.Errorf("no networks in %s: %w", a.folder.Dir(), err)
	}
	data, err := os.ReadFile(files[0])
	if err == nil {
		err = json.Unmarshal(data, &e)
	}
	if e.Revision == "" { // Go notes no revision in a working tree of git's
		out, _ := exec.Command("git", "rev-parse", "HEAD").Output()
		e.Revision = strings.TrimSpace(string(out))
	}
	return e, err
}
