package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/humanize"
)

// PlanName is the name of a frozen plan's file in the folder of its runs.
const PlanName = "plan.json"

// PlanFile is a frozen plan. It fixes the index of each run, even if the configuration files change later.
type PlanFile struct {
	Schema  int    `json:"schema"`  // 1
	Program string `json:"program"` // version of losscorr
	Plan
	SHA256 string `json:"sha256"` // of the fields above, as compact JSON
}

// PlanError reports a plan's file that cannot be used or written.
type PlanError struct {
	Path string
	Text string // what is wrong and how to fix it
	Err  error  // from the file system, or nil
}

// Error returns the path of the file and what is wrong with it.
func (e *PlanError) Error() string { return fmt.Sprintf("plan %s: %s", e.Path, e.Text) }

// Unwrap returns the file system's error.
func (e *PlanError) Unwrap() error { return e.Err }

// Freeze returns the file of a plan, with the runs that others need first.
func Freeze(plan Plan, program string) PlanFile {
	f := PlanFile{Schema: 1, Program: program, Plan: plan.NeededFirst()}
	for i := range f.Runs {
		f.Runs[i].Index = i
	}
	f.SHA256 = f.digest()
	return f
}

func (f PlanFile) digest() string {
	f.SHA256 = ""
	data, _ := json.Marshal(f) // cannot fail: Validate refuses NaN and infinity
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

// Save writes the plan into a folder and reports whether it did. It leaves an equal plan alone, and replaces a plan of
// the same runs on another device or with another data folder. A plan with other runs is a *PlanError unless force is
// set.
func (f PlanFile) Save(dir string, force bool) (bool, error) {
	path := filepath.Join(dir, PlanName)
	old, err := LoadPlan(path)
	broken, isBroken := errors.AsType[*PlanError](err)
	switch {
	case force || errors.Is(err, fs.ErrNotExist):
	case isBroken:
		return false, &PlanError{Path: path, Text: broken.Text + ", or replace it with --force"}
	case err != nil:
		return false, err
	default:
		if difference := old.difference(f); difference != "" {
			return false, &PlanError{Path: path, Text: "another plan is there: " + difference +
				"; replace it with --force, or write elsewhere with --out"}
		}
		if bytes.Equal(old.encode(), f.encode()) {
			return false, nil
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return false, fmt.Errorf("plan %s: make its folder: %w", path, err)
	}
	if err := files.Write(path, f.encode(), 0o644); err != nil {
		return false, fmt.Errorf("plan %s: write: %w", path, err)
	}
	return true, nil
}

// difference describes how the runs of two plans differ, "" if they do not.
func (f PlanFile) difference(g PlanFile) string {
	for i := range min(len(f.Runs), len(g.Runs)) {
		a, b := f.Runs[i], g.Runs[i]
		if a.ID != b.ID {
			return fmt.Sprintf("its run %d is %s (%s), not %s (%s)", i, a.ID, a.Name, b.ID, b.Name)
		}
	}
	if len(f.Runs) != len(g.Runs) {
		return fmt.Sprintf("it has %s, not %d", humanize.Runs(len(f.Runs)), len(g.Runs))
	}
	return ""
}

// encode writes one run per line, so plans are easy to search.
func (f PlanFile) encode() []byte {
	text, _ := json.Marshal(f)   // cannot fail: Validate refuses NaN and infinity
	begin := []byte(`{"index":`) // starts a run; inside a string the quotes are escaped
	return append(bytes.ReplaceAll(text, begin, append([]byte("\n  "), begin...)), '\n')
}

// LoadPlan reads a frozen plan; path is its file or its folder. It checks each run against its ID and the whole plan
// against its SHA-256, because editing a plan while an array of jobs runs would mix two plans. The error is a
// *PlanError.
func LoadPlan(path string) (PlanFile, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, PlanName)
	}
	var f PlanFile
	data, err := files.Read(path, mostText)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, &PlanError{Path: path, Text: "no such file; make one with losscorr grid plan FILE", Err: err}
	case err != nil:
		return f, &PlanError{Path: path, Text: err.Error(), Err: err}
	}
	wrong := func(format string, args ...any) error {
		return &PlanError{Path: path, Text: fmt.Sprintf(format, args...) +
			"; write it again with losscorr grid plan FILE --force"}
	}
	var head struct {
		Schema  int    `json:"schema"`
		Program string `json:"program"`
	}
	if ext := filepath.Ext(path); ext == ".yaml" || ext == ".yml" {
		name := strings.TrimSuffix(filepath.Base(path), ext)
		return f, &PlanError{Path: path, Text: fmt.Sprintf("this is a configuration, not a plan; make its plan with "+
			"losscorr grid plan FILE and give its folder, runs/%s unless --out names another", name)}
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return f, wrong("it is damaged: %v", err)
	}
	if head.Schema != 1 {
		return f, wrong("it has schema %d, of losscorr %s; this program reads 1", head.Schema, head.Program)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return f, wrong("%v: it was edited by hand, or was written by another version, losscorr %s", err, head.Program)
	}
	if len(f.Runs) == 0 {
		return f, wrong("it has no runs")
	}
	if text := f.edited(); text != "" {
		return f, wrong("%s", text)
	}
	return f, nil
}

// edited describes how the plan differs from the one that was written, "" if it does not.
func (f PlanFile) edited() string {
	for i, r := range f.Runs {
		if id := r.Config.ID(); id != r.ID {
			return fmt.Sprintf("run %d (%s) has the ID %s but its configuration has %s: it was edited by hand, or a file "+
				"that it reads has changed", i, r.Name, r.ID, id)
		}
	}
	if f.SHA256 != f.digest() {
		return "its sha256 does not match: it was edited by hand"
	}
	return ""
}
