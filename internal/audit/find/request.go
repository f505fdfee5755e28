package find

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/correction/table"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/page"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/encoders"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/rows"
	"github.com/losscorr/losscorr/internal/shell"
	"github.com/losscorr/losscorr/internal/store"
	"github.com/losscorr/losscorr/internal/views"
)

// Request is what to audit, and how. The zero value of a field is its default.
type Request struct {
	Source own.Source // the data, by absolute paths
	Dir    string     // the folder of the audit

	Given       *Given   // probabilities of another model, in place of networks
	Answers     *Answers // of several people; their consensus is audited in place of given labels
	AnswersFrom []string // files of people's decisions about labels (audit.Folder.Import)

	Folds    int      // parts of the data; networks judge the part that they have not seen
	Model    string   // a network in place of views
	Device   string   // of the networks
	View     string   // names of ways of looking at the data, of which the best are taken; "" is AutoView
	Anew     bool     // compare all views, whatever an earlier audit in Dir took
	Settings []string // key=value, for the networks
	MaxBad   int      // most images that may be left out

	Program, Command string // for the summary: the version, and the command that repeats the audit

	views []views.Entry // named by View; if it names none, those that are available
}

// AutoView makes an audit try the cheap views of the data and take the best.
const AutoView = "auto"

// auto reports whether nobody has named views.
func (r *Request) auto() bool { return r.View == "" || r.View == AutoView }

// Answers are the answers of several people in a file.
type Answers struct {
	*own.Answers
	File   string
	Task   string                // the column with the names of the examples; "" for the usual names
	Source own.Source            // as the user passed it; Request.Source has the votes as labels
	Ask    annotators.AskOptions // what to ask next; Count 0 for nothing
}

// Host is what an audit needs from the program that runs it.
type Host struct {
	// Train does the unfinished runs of a plan in a folder, with the user's settings.
	Train   func(plan store.Plan, dir string) error
	Encoder func(encoders.Entry) error // fetches the weights of an encoder if they are missing
	// Hold keeps data in memory for the runs of a configuration; if it is nil, they read it again.
	Hold    func(config.Config, *dataset.Dataset)
	Reading func(what string, done, total int) // shows the progress of reading data
	Note    func(text string)                  // reports progress to people
}

// Name is the name of the data or, without data, of the answers.
func (r *Request) Name() string {
	if r.Answers != nil {
		return NameOf(own.Source{Path: r.Source.Path, Labels: r.Answers.File})
	}
	return NameOf(r.Source)
}

// NameOf returns the name of own data: its file or folder, without endings.
func NameOf(s own.Source) string {
	path := s.Path
	if path == "" {
		path = s.Labels
	}
	base := filepath.Base(path)
	name := rows.TrimEnding(base)
	for _, ending := range []string{".tar.gz", ".tgz", ".zip", ".npy", ".txt"} {
		if n := len(base) - len(ending); n >= 0 && strings.EqualFold(base[n:], ending) {
			name = base[:n]
		}
	}
	return cmp.Or(name, base)
}

// LabelWithAnswers sets the source's labels to the file of votes in the audit's folder, if there are answers.
func (r *Request) LabelWithAnswers(classNames bool) (err error) {
	d := r.Answers
	if d == nil {
		return nil
	}
	if r.Source.ID == "" && rows.Is(r.Source.Path) && !own.IsEmbedded(r.Source.Path) {
		r.Source.ID = commonName(r.Source.Path, cmp.Or(d.Task, "task"), "id", "file_name")
	}
	if !classNames { // names from a column of the data, which the answers replace
		r.Source.Label, r.Source.ClassNames = "", nil
	}
	d.Source = r.Source
	votes := audit.VotesFile
	if r.Source.Path == "" {
		votes = audit.NamedVotesFile
	}
	r.Source.Labels, err = filepath.Abs(filepath.Join(r.Dir, audit.RunsDir, votes))
	return err
}

// commonName returns the first of some names that is a column of a table, or "".
func commonName(path string, names ...string) string {
	t, err := rows.Open(path)
	if err != nil {
		return "" // reading the data gives a better error
	}
	defer func() { _ = t.Close() }()
	if at := slices.IndexFunc(names, t.Has); at >= 0 {
		return names[at]
	}
	return ""
}

func usage(format string, args ...any) error {
	return &audit.UsageError{Text: fmt.Sprintf(format, args...)}
}

// Find audits labels, and writes the audit's folder with its page. An audit that was stopped resumes without
// repeating finished runs. The error is audit.ErrBusy if another process audits in the folder, an
// *audit.UsageError if the folder has the audit of other data or the settings do not suit, or dataset.ErrData if the
// data or the files beside it are invalid.
func Find(ctx context.Context, r Request, h Host) (*audit.Report, error) {
	folder := audit.At(r.Dir)
	if err := r.check(folder); err != nil {
		return nil, err
	}
	if err := r.chooseViews(); err != nil {
		return nil, err
	}
	defer func() { _ = folder.Unlock() }()
	w := &work{Request: r, Host: h}
	if err := w.takeAnswers(ctx, folder); err != nil {
		return nil, err
	}
	networks, err := r.networks(r.Source, views.Entry{Model: r.Model})
	if err != nil {
		return nil, err
	}
	w.Networks = networks.Config
	if err := w.Check(); err != nil {
		return nil, usage("%v", err)
	}
	if err := folder.Lock(); err != nil {
		return nil, err
	}
	opt := dataset.Options{Offline: true, MaxBad: r.MaxBad, Progress: h.Reading}
	if err := w.Read(ctx, folder, opt); err != nil {
		return nil, err
	}
	if w.Networks, err = r.sized(networks, w.Data.Train.Len(), 0); err != nil {
		return nil, err
	}
	if err := w.choose(ctx, folder); err != nil {
		return nil, err
	}
	report, err := w.run(ctx, folder)
	if err != nil {
		return nil, err
	}
	return report, page.Make(ctx, folder, report, w.Opened.EachOriginal)
}

// check returns an error for settings of the source, for a folder that cannot be the audit's, and for files that the
// audit would replace although it reads them or no audit wrote them.
func (r *Request) check(folder *audit.Folder) error {
	for _, setting := range r.Settings {
		if part, _, _ := strings.Cut(config.KeyOf(setting), "."); part == "source" {
			return usage("%s: an audit takes its data from DATA and the flags, such as --label or --side", setting)
		}
	}
	if err := apartFrom(r.Source, r.Dir, "the audit's folder"); err != nil {
		return err
	}
	if err := folder.CheckSource(r.Source); err != nil {
		return err
	}
	named := slices.Clone(r.AnswersFrom) // that may name examples
	read, written := r.Source.Inputs(), slices.Concat(audit.Results, []string{audit.UnreadableFile})
	if r.Given != nil {
		named, read = append(named, r.Given.File), append(read, r.Given.Features)
	}
	if r.Answers != nil {
		read, written = append(read, r.Answers.File), append(written, audit.CrowdResults...)
	}
	for _, name := range written {
		err := cmp.Or(files.Overwrites(folder.Path(name), slices.Concat(read, named)...), folder.Spare(name))
		if err != nil {
			return usage("%v", err)
		}
	}
	if _, err := folder.Summary(); err != nil && !folder.Begun() {
		if err := files.Foreign(r.Dir, "audit", "an audit", audit.Results...); err != nil {
			return usage("%v", err)
		}
	}
	return checkNames(r.Source, named...)
}

// apartFrom returns an error if the output folder lies inside the data.
func apartFrom(s own.Source, dir, what string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if abs == filepath.Dir(abs) {
		return usage("--out %s is the root of the file system: choose another folder", dir)
	}
	if rel, err := filepath.Rel(s.Path, abs); s.Path != "" && err == nil && filepath.IsLocal(rel) {
		return usage("%s %s is inside the data: choose another with --out", what, dir)
	}
	return nil
}

// checkNames returns an error if a file names examples in a column id and the data has a column of names that nobody
// has chosen: the file would be taken to name rows.
func checkNames(s own.Source, paths ...string) error {
	column := ""
	for _, path := range paths {
		if !rows.Is(path) || audit.NamesExamples(path) {
			continue
		}
		if column = cmp.Or(column, s.OtherNames()); column == "" {
			return nil
		}
		r, err := rows.Open(path)
		if err != nil {
			continue // which reading it says better
		}
		named := r.Has("id")
		_ = r.Close()
		if named {
			return dataset.Errorf("%s names examples in its column id, but those of %s are named by row number: "+
				"add --id %s", path, s.Path, shell.Word(column))
		}
	}
	return nil
}

// chooseViews sets the views that View names, none if a network is named.
func (r *Request) chooseViews() error {
	if r.Model != "" || r.Source.Backbone != "" || r.Given != nil || config.Sets(r.Settings, "model") {
		if !r.auto() {
			return usage("--view %s has no effect beside --model, --backbone or --probabilities: give one of them",
				r.View)
		}
		return nil
	}
	kind, err := r.Source.Stored()
	if err != nil {
		return dataset.Errorf("%w", err)
	}
	if r.auto() {
		for _, e := range views.All {
			if e.Data == kind && e.Cheap {
				r.views = append(r.views, e)
			}
		}
		return nil
	}
	for name := range strings.SplitSeq(r.View, ",") {
		e := views.All.Named(strings.TrimSpace(name))
		if e.Name == "" || e.Data != kind {
			return noView(kind, name, append([]string{AutoView}, views.Of(kind)...))
		}
		r.views = append(r.views, e)
	}
	return nil
}

func noView(kind dataset.Kind, name string, there []string) error {
	return usage("--view: no view of %v is named %q: use one of %s", kind, name, strings.Join(there, ", "))
}

// networks returns the settings of an audit's networks on a source by a view, except for those that depend on the size
// of the data.
func (r *Request) networks(source own.Source, view views.Entry) (none config.Resolved, err error) {
	kind, err := source.Kind()
	if err != nil {
		return none, dataset.Errorf("%w", err)
	}
	runs, err := config.Own{Later: r.later(), Values: config.Config{
		Source: source, Model: view.Model, Device: r.Device, Folds: config.Folds{Count: r.Folds, Out: 1},
		Epochs:    Epochs(kind, 0),                    // for the smallest data
		Estimator: config.Estimator{Name: "vertices"}, // since no network judges its own training examples
		Optimizer: config.Optimizer{LearningRate: view.AuditRate},
	}}.Runs(r.Settings...)
	if err != nil {
		return none, err
	}
	if len(runs) != 1 {
		return none, config.NewError(config.Problem{Text: fmt.Sprintf("the settings describe %d runs; use one "+
			"value for each setting", len(runs))})
	}
	return runs[0], nil
}

// later lists the settings that may be empty: without examples no network is trained.
func (r *Request) later() []string {
	if r.Given != nil || r.Answers != nil {
		return []string{"source.path"}
	}
	return nil
}

// sized returns the configuration of networks for n examples.
func (r *Request) sized(networks config.Resolved, n int, rate float64) (config.Config, error) {
	Size(&networks, n, rate)
	_, err := config.Checked([]config.Resolved{networks}, r.later()...)
	return networks.Config, err
}

// takeAnswers matches several people's answers with the examples, locks the folder, and writes the votes as labels of
// the data.
func (a *work) takeAnswers(ctx context.Context, folder *audit.Folder) error {
	d := a.Answers
	if d == nil {
		return nil
	}
	names, alone := d.Tasks, d.Tasks
	if d.Source.Path != "" {
		var err error
		if names, err = d.Source.Names(ctx); err != nil {
			return dataset.Errorf("%w", err)
		}
		if err := d.Locate(names); err != nil {
			return dataset.Errorf("%s: %w", d.File, err)
		}
		alone = nil
	}
	crowd, findings, err := newCrowd(d.File, d.Answers, names)
	if err != nil {
		return err
	}
	for _, finding := range slices.Concat(d.Findings, findings) {
		a.found("in the answers: " + finding)
	}
	a.Crowd = crowd
	if err := folder.Lock(); err != nil {
		return err
	}
	votes, err := votesOf(d.File, crowd)
	if err != nil {
		return err
	}
	return folder.WriteVotes(votes, alone)
}

// choose sets the networks of the views to try. Unless a.Anew, these are the views of the finished audit in the
// folder, so that an encoder fetched meanwhile does not change a repeated audit.
func (a *work) choose(ctx context.Context, folder *audit.Folder) error {
	if before := viewsBefore(folder); !a.Anew && len(a.views) > 0 && len(before) > 0 {
		a.Note("views as before: " + strings.Join(table.Of[views.Entry](before).Names(), ", ") +
			"; --view auto compares all again")
		a.views = before
	}
	chosen, err := a.withEncoders(ctx)
	if err != nil {
		return err
	}
	var refused error
	for _, e := range chosen {
		source := a.Source
		if !e.Plain {
			source.View = e.Name
		}
		var network config.Config
		networks, err := a.networks(source, e)
		if err == nil {
			network, err = a.sized(networks, a.Data.Train.Len(), e.AuditRate)
		}
		switch {
		case err != nil && !a.auto():
			return err
		case err != nil: // the view's network lacks a setting that the user passed
			refused = err
		default:
			a.Candidates = append(a.Candidates, network)
		}
	}
	if len(a.Candidates) == 0 {
		return refused
	}
	return nil
}

// viewsBefore returns the views of the finished audit in the folder.
func viewsBefore(folder *audit.Folder) (before []views.Entry) {
	s, err := folder.Summary()
	if err != nil {
		return nil
	}
	for _, v := range s.Views {
		if e := views.All.Named(v.Name); e.Name != "" {
			before = append(before, e)
		}
	}
	return before
}

// autoTexts is the largest number of texts for which an encoder is tried by default: its features take a few
// hundredths of a second per text, more than the rest of an audit.
const autoTexts = 5000

// withEncoders removes views whose encoder is not available. This is an error if the user named the view; otherwise a
// network that learns from the data itself takes its place, with a warning that names the command to fetch the
// encoder. Encoders have learned from photos, so grey images get none.
func (a *work) withEncoders(ctx context.Context) (out []views.Entry, err error) {
	n := a.Data.Train.Len()
	for _, e := range a.views {
		if e.Encoder == "" {
			out = append(out, e)
			continue
		}
		if a.auto() && a.Grey {
			out = append(out, views.All.Named("own"))
			continue
		}
		encoder := encoders.All.Named(e.Encoder)
		if a.auto() && e.Data == dataset.Text { // texts have other views
			if _, err := encoder.Path(); err != nil {
				continue
			}
			if n > autoTexts {
				a.Note(fmt.Sprintf("view %s is not tried with more than %d texts, since it is slow: --view %s,... tries it", e.Name,
					autoTexts, e.Name))
				continue
			}
		}
		switch err := a.Encoder(encoder); {
		case err == nil:
			out = append(out, e)
		case !a.auto() || ctx.Err() != nil:
			return nil, err
		default:
			out = append(out, views.All.Named("own"))
			warning := fmt.Sprintf("the network learns only from these images, which usually finds far fewer wrong labels "+
				"in photos than the features of %s: losscorr encoders get %s (%s), and audit again (%v)",
				encoder.Name, encoder.Name, encoder.Megabytes(), err)
			a.Findings = append(a.Findings, warning)
			a.Note("warning: " + warning)
		}
	}
	return out, nil
}
