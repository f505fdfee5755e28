package slurm

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/internal/grid/cluster"
	"github.com/losscorr/losscorr/internal/shell"
)

// The subfolders of a plan's folder that a submission makes.
const (
	logsDir    = "logs"
	scriptsDir = "slurm"
)

// script returns the path and the text of the script of a task.
func (s *Site) script(sub *cluster.Submission) (path, text string, err error) {
	program := s.Program
	if program == "" {
		if program, err = os.Executable(); err != nil {
			return "", "", fmt.Errorf("find this program's path: %w; set program in the site file", err)
		}
	}
	work, err := os.Getwd()
	if err != nil {
		return "", "", err
	}
	for what, path := range map[string]string{"the plan's folder": sub.Dir, "the working folder": work} {
		if strings.ContainsAny(path, "\n\r\\") {
			return "", "", &cluster.SiteError{Err: fmt.Errorf("%s %q: Slurm cannot read paths with line breaks or "+
				"backslashes; use another folder", what, path)}
		}
	}
	requeue := "--requeue"
	if s.NoRequeue {
		requeue = "--no-requeue"
	}
	options := []string{
		"--job-name=" + quote(jobName(sub.Dir)),
		"--output=" + quote(strings.ReplaceAll(filepath.Join(sub.Dir, logsDir), "%", "%%")+"/%A_%a.out"),
		"--open-mode=append", // keeps the output from before a requeue
		"--chdir=" + quote(work), requeue, fmt.Sprintf("--signal=B:USR1@%d", cmp.Or(s.Signal, defaultSignal)),
	}
	command := append([]string{program, "grid", "exec", "--plan", filepath.Join(sub.Dir, "plan.json"), "--pack",
		fmt.Sprint(sub.Pack)}, sub.Args...)
	var b strings.Builder
	b.WriteString("#!/bin/bash\n# One task of the plan; submitted as an array, with --offset if there are several.\n" +
		"# Written by losscorr grid submit slurm, which overwrites it.\n")
	for _, o := range append(options, s.directives()...) {
		fmt.Fprintf(&b, "#SBATCH %s\n", o)
	}
	b.WriteByte('\n')
	for _, line := range checked(s.Setup) {
		fmt.Fprintln(&b, line)
	}
	// exec, so that Slurm's signals reach the program.
	fmt.Fprintf(&b, "exec %s --index \"$%s\" \"$@\"\n", shell.Join(command...), index)
	return filepath.Join(sub.Dir, scriptsDir, "task.sh"), b.String(), nil
}

// checked makes a script end when a line of its setup fails. Otherwise the program would fail later, or compute with
// the wrong software.
func checked(setup []string) []string {
	if len(setup) == 0 {
		return nil
	}
	const trap = `trap 'echo "losscorr: the setup failed with status $?: $BASH_COMMAND" >&2; exit 1' ERR`
	return slices.Concat([]string{trap}, setup, []string{"trap - ERR"})
}

// jobName is losscorr- and the folder's name, in letters that every tool accepts.
func jobName(dir string) string {
	return "losscorr-" + strings.Map(func(r rune) rune {
		if r < 0x80 && words.MatchString(string(r)) && r != ',' && r != '/' {
			return r
		}
		return '_'
	}, filepath.Base(dir))
}

// quote quotes a value for an #SBATCH line, which understands double quotes and backslashes.
func quote(text string) string {
	if words.MatchString(strings.ReplaceAll(text, "%", "")) {
		return text
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
