package slurm

import (
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

// script is a job script and its path.
type script struct{ path, text string }

// scripts returns the scripts of a task and of the report.
func (s *Site) scripts(sub *cluster.Submission) (task, report script, err error) {
	program := s.Program
	if program == "" {
		if program, err = os.Executable(); err != nil {
			return task, report, fmt.Errorf("find this program's path: %w; set program in the site file", err)
		}
	}
	work, err := os.Getwd()
	if err != nil {
		return task, report, err
	}
	for what, path := range map[string]string{"the plan's folder": sub.Dir, "the working folder": work} {
		if strings.ContainsAny(path, "\n\r\\") {
			return task, report, &cluster.SiteError{Err: fmt.Errorf("%s %q: Slurm cannot read paths with line breaks or "+
				"backslashes; use another folder", what, path)}
		}
	}
	common := func(suffix, log string) []string {
		return []string{
			"--job-name=" + quote(jobName(sub.Dir)+suffix),
			"--output=" + quote(strings.ReplaceAll(filepath.Join(sub.Dir, logsDir), "%", "%%")+"/"+log+".out"),
			"--open-mode=append", // keeps the output from before a requeue
			"--chdir=" + quote(work),
		}
	}
	write := func(name, what string, options, setup []string, command string) script {
		var b strings.Builder
		fmt.Fprintf(&b, "#!/bin/bash\n# %s\n# Written by losscorr grid submit slurm, which overwrites it.\n", what)
		for _, o := range options {
			fmt.Fprintf(&b, "#SBATCH %s\n", o)
		}
		b.WriteByte('\n')
		for _, line := range setup {
			fmt.Fprintln(&b, line)
		}
		// exec, so that Slurm's signals reach the program.
		fmt.Fprintf(&b, "exec %s\n", command)
		return script{path: filepath.Join(sub.Dir, scriptsDir, name), text: b.String()}
	}

	signal, requeue := s.Signal, "--requeue"
	if signal == 0 {
		signal = defaultSignal
	}
	if s.NoRequeue || s.AllowRequeue != nil && !*s.AllowRequeue {
		requeue = "--no-requeue"
	}
	options := append(common("", "%A_%a"), requeue, fmt.Sprintf("--signal=B:USR1@%d", signal))
	command := append([]string{program, "grid", "exec", "--plan", filepath.Join(sub.Dir, "plan.json"), "--pack",
		fmt.Sprint(sub.Pack)}, sub.Args...)
	task = write("task.sh", "One task of the plan; submitted as an array, with --offset if there are several.",
		append(options, s.directives()...), checked(s.Setup), shell.Join(command...)+` --index "$`+index+`" "$@"`)

	// The report needs no GPU, so it gets no partition, quality of service or features that may imply one.
	small := Site{Partition: s.Partition, Account: s.Account, QOS: s.QOS, Constraint: s.Constraint, Exclude: s.Exclude,
		Extra: s.Extra, Mem: s.Mem, Time: "30"}
	if s.UsesGPU() {
		small.Partition, small.QOS, small.Constraint = s.ReportPartition, "", ""
	}
	report = write("report.sh", "The tables and figures, after the last task.",
		append(common("-report", "report-%j"), small.directives()...), s.Setup,
		shell.Join([]string{program, "report", sub.Dir, "--out", sub.Dir}...))
	return task, report, nil
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
