package slurm

import (
	"fmt"
	"path/filepath"
	"strings"
)

// The files of a plan's folder that a submission makes.
const (
	LogsDir    = "logs"
	ScriptsDir = "slurm"
	taskScript = "task.sh"
	lastScript = "report.sh"
)

// Submission is how the tasks of a plan are done on a cluster.
type Submission struct {
	Site    Site
	Dir     string   // of the plan, absolute
	Program string   // losscorr, absolute; Site.Program wins
	Pack    int      // runs of a task
	Args    []string // more for grid exec, such as --device cuda
	Work    string   // folder that the tasks start in, absolute
	Report  bool     // add a job that makes the report
}

// Script is a job script and the path where it is kept.
type Script struct{ Path, Text string }

// Scripts returns the script of a task and that of the report.
func (s Submission) Scripts() (task, report Script) {
	program := s.Program
	if s.Site.Program != "" {
		program = s.Site.Program
	}
	command := []string{program, "grid", "exec", "--plan", filepath.Join(s.Dir, "plan.json"), "--pack", fmt.Sprint(s.Pack)}
	command = append(command, s.Args...)

	again := "--requeue"
	if !s.Site.requeue() {
		again = "--no-requeue"
	}
	options := append(s.common("", "%A_%a"), again, fmt.Sprintf("--signal=B:USR1@%d", s.Site.signal()))
	task = s.script(taskScript, "One task of the plan; submitted as an array, with --offset where there are several.",
		append(options, s.Site.options()...), quoteAll(command)+` --index "$SLURM_ARRAY_TASK_ID" "$@"`)

	// The report needs no GPU and little of the rest.
	small := Site{Partition: s.Site.Partition, Account: s.Site.Account, QOS: s.Site.QOS, Constraint: s.Site.Constraint, Exclude: s.Site.Exclude, Extra: s.Site.Extra}
	report = s.script(lastScript, "The tables and figures, after the last task.",
		append(s.common("-report", "report-%j"), small.options()...), quoteAll([]string{program, "report", s.Dir}))
	return task, report
}

func (s Submission) common(suffix, log string) []string {
	return []string{
		"--job-name=" + directive(jobName(s.Dir)+suffix),
		"--output=" + directive(strings.ReplaceAll(filepath.Join(s.Dir, LogsDir), "%", "%%")+"/"+log+".out"),
		"--open-mode=append", // what a task wrote before it was queued again stays
		"--chdir=" + directive(s.Work),
	}
}

func (s Submission) script(name, what string, options []string, command string) Script {
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/bash\n# %s\n# Written by losscorr grid submit slurm, which writes it anew.\n", what)
	for _, o := range options {
		fmt.Fprintf(&b, "#SBATCH %s\n", o)
	}
	b.WriteByte('\n')
	for _, line := range s.Site.Setup {
		fmt.Fprintln(&b, line)
	}
	// In the shell's place, so that Slurm's signals reach the program.
	fmt.Fprintf(&b, "exec %s\n", command)
	return Script{Path: filepath.Join(s.Dir, ScriptsDir, name), Text: b.String()}
}

// jobName is losscorr- and the folder's name, of letters that no tool minds.
func jobName(dir string) string {
	return "losscorr-" + strings.Map(func(r rune) rune {
		if r < 0x80 && (words.MatchString(string(r))) && r != ',' && r != '/' {
			return r
		}
		return '_'
	}, filepath.Base(dir))
}

// directive quotes a value for a line of #SBATCH, which knows double quotes and
// backslashes.
func directive(text string) string {
	if words.MatchString(strings.ReplaceAll(text, "%", "")) {
		return text
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// quote quotes a word for a POSIX shell, where it needs it.
func quote(word string) string {
	if words.MatchString(strings.NewReplacer("=", "", "%", "").Replace(word)) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func quoteAll(list []string) string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = quote(w)
	}
	return strings.Join(out, " ")
}

// checkPath refuses folders that Slurm cannot be told of.
func checkPath(what, path string) error {
	switch {
	case !filepath.IsAbs(path):
		return fmt.Errorf("%s %s is not an absolute path", what, path)
	case strings.ContainsAny(path, "\n\r\\"):
		return fmt.Errorf("%s %q: Slurm reads no path with a line end or a backslash; use another folder", what, path)
	}
	return nil
}
