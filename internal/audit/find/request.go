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
	"github.com/losscorr/losscorr/internal/rows"
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

	Folds    int           // parts of the data; networks judge the part that they have not seen
	Model    string        // a network in place of views
	Device   string        // of the networks
	Views    []views.Entry // ways of looking at the data; the best ones are taken
	AnyView  bool          // Views is the default: views that are not available are left out
	Anew     bool          // compare all Views, whatever an earlier audit in Dir took
	Settings []string      // key=value, for the networks
	MaxBad   int           // most images that may be left out

	Program, Command string // for the summary: the version, and the command that repeats the audit
}

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
	// Train does the unfinished runs of a plan in a folder, with the user's settings, for stage 1, 2 or, where networks
	// are trained again, 3. foretold means that their duration was shown before.
	Train   func(plan store.Plan, dir string, stage int, foretold bool) error
	Encoder func(encoders.Entry) error            // fetches the weights of an encoder if they are missing
	Hold    func(config.Config, *dataset.Dataset) // keeps data in memory for the runs of a configuration
	Reading func(what string, done, total int)    // shows the progress of reading data
	Note    func(text string)                     // reports progress to people
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

// AutoViews returns the default views for a kind of data.
func AutoViews(kind dataset.Kind) (list []views.Entry) {
	for _, e := range views.All {
		if e.Data == kind && e.Cheap {
			list = append(list, e)
		}
	}
	return list
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

// UsageError means that the settings of a request do not suit an audit.
type UsageError struct{ Text string }

// Error returns the text.
func (e *UsageError) Error() string { return e.Text }

// Find audits labels, and writes the audit's folder with its page. An audit that was stopped resumes without
// repeating finished runs. The error is audit.ErrBusy if another process audits in the folder, an
// *audit.OtherDataError if the folder has the audit of other data, a *UsageError, or dataset.ErrData if the data or
// the files beside it are invalid.
func Find(ctx context.Context, r Request, h Host) (*audit.Report, error) {
	folder := audit.At(r.Dir)
	defer func() { _ = folder.Unlock() }()
	w := &work{AnswersFrom: r.AnswersFrom, Given: r.Given, Program: r.Program, Command: r.Command, Note: h.Note,
		Hold: h.Hold}
	if err := w.takeAnswers(ctx, folder, r.Answers); err != nil {
		return nil, err
	}
	settings, err := r.settings(r.Source)
	if err != nil {
		return nil, err
	}
	if w.Networks, err = r.networks(settings, 0); err != nil {
		return nil, err
	}
	if err := w.Check(); err != nil {
		return nil, &UsageError{err.Error()}
	}
	if err := folder.Lock(); err != nil {
		return nil, err
	}
	opt := dataset.Options{Offline: true, MaxBad: r.MaxBad, Progress: h.Reading}
	if err := folder.ListBad(w.Read(ctx, opt)); err != nil {
		return nil, err
	}
	if w.Networks, err = r.networks(settings, w.Data.Train.Len()); err != nil {
		return nil, err
	}
	if err := w.choose(ctx, folder, r, h); err != nil {
		return nil, err
	}
	foretold := false
	w.Do = func(_ context.Context, plan store.Plan, stage int) error {
		dir := folder.Path(audit.RunsDir)
		said := foretold
		foretold = stage == 1 && len(plan.Unfinished(dir)) > 0
		return h.Train(plan, dir, stage, said)
	}
	return w.audit(ctx, folder)
}

// audit runs an audit, and writes its page.
func (a work) audit(ctx context.Context, folder *audit.Folder) (*audit.Report, error) {
	report, err := a.run(ctx, folder)
	if err != nil {
		return nil, err
	}
	err = page.Make(ctx, folder, report, a.Opened.EachOriginal)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = fmt.Errorf("the audit has finished, but its page could not be written; run it again, which keeps the "+
			"networks: %w", cause)
	}
	return report, err
}

// settings returns the values of an audit's networks on a source, except for those that depend on the size of the
// data.
func (r *Request) settings(source own.Source) (config.Own, error) {
	kind, err := source.Kind()
	if err != nil {
		return config.Own{}, dataset.Errorf("%w", err)
	}
	return config.Own{
		Source: source, Model: r.Model, Device: r.Device, Folds: config.Folds{Count: r.Folds, Out: 1},
		Epochs:     Epochs(kind, 0), // for the smallest data
		Estimator:  "vertices",      // since no network judges its own training examples
		LabelsOnly: r.Given != nil || r.Answers != nil,
	}, nil
}

// networks returns the configuration of an audit's networks for n examples, 0 if n is not known yet.
func (r *Request) networks(settings config.Own, n int) (config.Config, error) {
	doc, err := config.ReadOwn(settings, r.Settings...)
	if err != nil {
		return config.Config{}, err
	}
	c, err := oneRun(doc)
	if err != nil || n == 0 {
		return c, err
	}
	return oneRun(doc.With(Sized(settings, c, n)))
}

// oneRun returns the configuration of a document that must describe one run.
func oneRun(doc *config.Document) (config.Config, error) {
	configs, err := doc.Expand()
	if err != nil {
		return config.Config{}, err
	}
	if len(configs) != 1 {
		return config.Config{}, config.NewError(config.Problem{Text: fmt.Sprintf("the settings describe %d runs; use one "+
			"value for each setting", len(configs))})
	}
	return configs[0], nil
}

// takeAnswers matches several people's answers with the examples, locks the folder, and writes the votes as labels of
// the data.
func (a *work) takeAnswers(ctx context.Context, folder *audit.Folder, d *Answers) error {
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
	crowd, findings, err := NewCrowd(d.File, d.Answers, names)
	if err != nil {
		return err
	}
	for _, finding := range slices.Concat(d.Findings, findings) {
		a.found("in the answers: "+finding, finding)
	}
	crowd.Ask, a.Crowd = d.Ask, crowd
	if err := folder.Lock(); err != nil {
		return err
	}
	votes, err := crowd.Votes()
	if err != nil {
		return err
	}
	return folder.WriteVotes(votes, alone)
}

// choose sets the networks of the views to try. Unless r.Anew, these are the views of the finished audit in the
// folder, so that an encoder fetched meanwhile does not change a repeated audit.
func (a *work) choose(ctx context.Context, folder *audit.Folder, r Request, h Host) error {
	if before := viewsBefore(folder); !r.Anew && len(r.Views) > 0 && len(before) > 0 {
		a.Note("views as before: " + strings.Join(table.Of[views.Entry](before).Names(), ", ") +
			"; --view auto compares all again")
		r.Views = before
	}
	chosen, err := a.withEncoders(ctx, r, h)
	if err != nil {
		return err
	}
	var refused error
	for _, e := range chosen {
		network, err := r.ofView(e, a.Data.Train.Len())
		switch {
		case err != nil && !r.AnyView:
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

// ofView returns the configuration of a view's networks for n examples.
func (r *Request) ofView(view views.Entry, n int) (network config.Config, err error) {
	source := r.Source
	if !view.Plain {
		source.View = view.Name
	}
	settings, err := r.settings(source)
	if err != nil {
		return network, err
	}
	settings.Model, settings.Rate = view.Model, view.AuditRate
	return r.networks(settings, n)
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
func (a *work) withEncoders(ctx context.Context, r Request, h Host) (out []views.Entry, err error) {
	n := a.Data.Train.Len()
	for _, e := range r.Views {
		if e.Encoder == "" {
			out = append(out, e)
			continue
		}
		if r.AnyView && a.Grey {
			out = append(out, views.All.Named("own"))
			continue
		}
		encoder := encoders.All.Named(e.Encoder)
		if r.AnyView && e.Data == dataset.Text { // texts have other views
			if _, err := encoder.Path(); err != nil {
				continue
			}
			if n > autoTexts {
				a.Note(fmt.Sprintf("view %s is not tried with more than %d texts, since it is slow: --view %s,... tries it", e.Name,
					autoTexts, e.Name))
				continue
			}
		}
		switch err := h.Encoder(encoder); {
		case err == nil:
			out = append(out, e)
		case !r.AnyView || ctx.Err() != nil:
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
