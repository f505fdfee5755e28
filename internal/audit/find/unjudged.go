package find

import (
	"context"
	"slices"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/store"
)

// Unjudged writes a folder for reviewing labels without an audit: all have the same probability of being wrong. A
// later audit of the same data in the folder replaces it and keeps people's answers. Errors are as in Find.
func Unjudged(ctx context.Context, r Request, reading func(what string, done, total int)) (*audit.Folder, error) {
	f := audit.At(r.Dir)
	if err := f.CheckSource(r.Source); err != nil {
		return nil, err
	}
	data, sums, err := Labels(ctx, r.Source, r.MaxBad, reading)
	if err != nil {
		return nil, err
	}
	if err := f.Lock(); err != nil {
		return nil, err
	}
	defer func() { _ = f.Unlock() }()
	if err := f.Begin(r.Source, data.Files); err != nil {
		return nil, err
	}
	t, err := correction.Identity(data.Classes)
	if err != nil {
		return nil, dataset.Errorf("%w", err)
	}
	n, c := data.Train.Len(), len(data.Classes)
	equal := slices.Repeat([]float32{1 / float32(c)}, n*c)
	report := &audit.Report{
		Summary: audit.Summary{Program: r.Program, Command: r.Command, Source: r.Source, Files: data.Files,
			Finished: store.Timestamp(), Examples: n, Model: audit.NoModel, Posterior: audit.NoModel,
			Confusions: []audit.Confusion{}},
		T: t, Clean: equal, Noisy: equal, Sums: sums,
	}
	for _, name := range data.Classes {
		report.Classes = append(report.Classes, audit.Class{Name: name})
	}
	for i, y := range data.Train.Labels {
		id, name := data.Train.ID(i), data.Classes[y]
		report.Classes[y].Examples++
		report.Issues = append(report.Issues, audit.Issue{Rank: i + 1, ID: id, Row: i, Given: name, Suggested: name})
		report.Labels = append(report.Labels, audit.Label{ID: id, Label: name})
	}
	return f, f.Save(report)
}

// Labels reads the labels of data, and the hashes of the examples' contents.
func Labels(ctx context.Context, s own.Source, maxBad int, reading func(what string, done, total int)) (
	*dataset.Dataset, []uint64, error) {
	data, err := OpenData(ctx, s, dataset.Options{Offline: true, MaxBad: maxBad, Progress: reading})
	if err != nil {
		return nil, nil, err
	}
	data.Forget()
	opened, err := own.Open(s)
	if err != nil {
		return nil, nil, dataset.Errorf("%w", err)
	}
	sums, err := opened.Sums(ctx, data.Train.IDs)
	if err != nil {
		return nil, nil, dataset.Errorf("%w", err)
	}
	return data, sums, nil
}
