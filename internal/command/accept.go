package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr"
	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/audit/find"
	"github.com/losscorr/losscorr/internal/audit/page"
	"github.com/losscorr/losscorr/internal/audit/review"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/humanize"
	"github.com/losscorr/losscorr/internal/shell"
)

// acceptFlags are the flags of review for accepting a set of labels, and those of the data of one without an audit.
func acceptFlags() []cli.Flag {
	flags := []cli.Flag{
		&cli.StringFlag{Name: "accept", Usage: "check labels in random order until fewer than `SHARE` of all are shown to " +
			"be wrong, such as 3%, or more; you may look and stop at any time"},
		&cli.StringFlag{Name: "reject", Usage: "reject when more than `SHARE` are wrong", DefaultText: "as --accept"},
		&cli.StringFlag{Name: "risk", Value: "5%", Usage: "probability of either wrong verdict, at most"},
		&cli.IntFlag{Name: "checks", Usage: "stop undecided after `N` checks"},
		&cli.StringFlag{Name: "source", Usage: "`COLUMN` of the data that names where each label comes from, such as a " +
			"person or a prompt: give the share of wrong labels of each"},
		&cli.StringSliceFlag{Name: "answers-from", Usage: "take the answers in `FILE`, which --write wrote and people " +
			"filled in, give the verdict, and open no page"},
		&cli.StringFlag{Name: "out", Usage: "folder for labels that nobody has audited",
			DefaultText: "audits/<name of DATA>"},
	}
	for _, f := range flags {
		switch f := f.(type) {
		case *cli.StringFlag:
			f.Category = "ACCEPT"
		case *cli.IntFlag:
			f.Category = "ACCEPT"
		case *cli.StringSliceFlag:
			f.Category = "ACCEPT"
		}
	}
	return slices.Concat(flags, sourceFlags())
}

// shareOf is the value of a flag that is a share: 3% or .03.
func shareOf(c *cli.Context, flag, text string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0 && v < 1) {
		return 0, app.Misuse(c, "--%s %s: want a share between 0 and 1, such as 3%% or .03", flag, text)
	}
	return v, nil
}

// acceptOf is what --accept and the flags beside it say; nil without it.
func acceptOf(c *cli.Context) (*review.Accept, error) {
	if !c.IsSet("accept") {
		return nil, app.Needs(c, "accept SHARE", "reject", "risk", "checks", "source", "answers-from", "out")
	}
	a := &review.Accept{Checks: c.Int("checks")}
	for k, to := range []*float64{&a.Limit, &a.Reject, &a.Risk} {
		flag := []string{"accept", "reject", "risk"}[k]
		v, err := shareOf(c, flag, cmp.Or(c.String(flag), c.String("accept"))) // the latter for --reject
		if err != nil {
			return nil, err
		}
		*to = v
	}
	switch {
	case a.Reject < a.Limit:
		return nil, app.Misuse(c, "--reject %s is below --accept %s", c.String("reject"), c.String("accept"))
	case a.Checks < 0:
		return nil, app.Misuse(c, "--checks %d is negative", a.Checks)
	}
	return a, nil
}

// reviewed opens the folder of the audit that the command line names. With --accept it may name data: its folder is
// that of an audit of it, or a new one without a model.
func (p Program) reviewed(c *cli.Context) (*audit.Folder, error) {
	name := c.Args().First()
	if !c.IsSet("accept") {
		return audit.Open(name)
	}
	if name != "" && audit.At(name).Begun() {
		return openUnchanged(name)
	}
	source, err := onePath(c, []string{name})
	if err != nil {
		return nil, err
	}
	r := find.Request{Source: source, Program: losscorr.Version}
	r.Dir = cmp.Or(c.String("out"), filepath.Join("audits", r.Name()))
	r.Command = auditCommandOf(c, r.Dir)
	folder, err := audit.Open(r.Dir)
	if err != nil {
		return find.Unjudged(c.Context, r, p.Reading(c))
	}
	if err := folder.CheckSource(source); err != nil {
		return nil, err
	}
	if s, err := folder.Summary(); err != nil || s.Model != audit.NoModel {
		return openUnchanged(r.Dir)
	}
	return find.Unjudged(c.Context, r, p.Reading(c)) // the data as it is now
}

// openUnchanged opens the folder of an audit whose data is as it was.
func openUnchanged(dir string) (*audit.Folder, error) {
	f, err := audit.Open(dir)
	if err != nil {
		return nil, err
	}
	s, err := f.Summary()
	if err != nil {
		return nil, err
	}
	if changed := own.Changed(s.Files); changed != "" {
		return nil, dataset.Errorf("%s has changed since the audit: audit it again, which keeps people's answers: %s",
			changed, s.Command)
	}
	return f, nil
}

// auditCommandOf is the command that audits the data of a review in its folder.
func auditCommandOf(c *cli.Context, dir string) string {
	words := append([]string{"losscorr", "audit"}, c.Args().Slice()...)
	for _, f := range own.Fields {
		if f.Flag != "" && c.IsSet(f.Flag) {
			words = append(words, "--"+f.Flag, fmt.Sprint(c.Value(f.Flag)))
		}
	}
	return shell.Join(append(words, "--out", dir)...)
}

// sourcesOf reads the column --source of the data of an audit.
func (p Program) sourcesOf(c *cli.Context, f *audit.Folder) (audit.Sources, error) {
	from := audit.Sources{Column: c.String("source"), Of: map[string]string{}}
	if from.Column == "" {
		return from, nil
	}
	s, err := f.Summary()
	if err != nil {
		return from, err
	}
	source := s.Source // whose labels are the column
	source.Label, source.ClassNames, source.Split, source.Test, source.TestLabels = from.Column, nil, "", "", ""
	source.Truth, source.Trusted, source.Group = "", "", ""
	data, _, err := find.Labels(c.Context, source, math.MaxInt, p.Reading(c))
	if err != nil {
		return from, fmt.Errorf("--source %s: %w", from.Column, err)
	}
	for i, k := range data.Train.Labels {
		from.Of[data.Train.ID(i)] = data.Classes[k]
	}
	return from, nil
}

// certify prints where the acceptance of a folder stands, and writes certificate.json and acceptance.html.
func (p Program) certify(f *audit.Folder, o review.Accept, from audit.Sources) (err error) {
	log, err := f.Write()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	a, err := f.Accept(log, o.Limit, o.Reject, o.Risk)
	if err != nil {
		return err
	}
	s, err := f.Summary()
	if err != nil {
		return err
	}
	certificate := a.Certify(log.Said(s.Source), from, losscorr.Version)
	fmt.Fprintln(p.Stdout, certificate.Statement)
	if certificate.Rate.Checked == 0 {
		return nil
	}
	for _, part := range certificate.Parts {
		if part.By == from.Column {
			fmt.Fprintf(p.Stdout, "  %s %s: %d of %d labels checked, %d wrong; %.1f to %.1f %% of all\n", part.By,
				cmp.Or(part.Name, "(none)"), part.Checked, part.Labels, part.Wrong, 100*part.Low, 100*part.High)
		}
	}
	html, err := page.Acceptance(certificate)
	if err != nil {
		return err
	}
	if err := f.WriteCertificate(certificate, html); err != nil {
		return err
	}
	fmt.Fprintf(p.Stderr, "%s is the page to hand on; losscorr check DATA --max-wrong SHARE --certificate %s tests data "+
		"by it\n", f.Path(audit.AcceptancePage), f.Path(audit.CertificateFile))
	return nil
}

// certified is what check prints of a certificate as JSON.
type certified struct {
	High  float64 `json:"certificate_high"` // share of wrong labels at most, by the certificate
	Risk  float64 `json:"risk"`
	Limit float64 `json:"limit"`
	audit.Cover
}

// checkCertificate tests whether data has few enough wrong labels by a certificate.
func (p Program) checkCertificate(c *cli.Context) error {
	certificate, err := audit.ReadCertificate(c.String("certificate"))
	if err != nil {
		return err
	}
	if c.Bool("verify") {
		fmt.Fprintf(p.Stdout, "Verified: the seed draws these labels, and the answers give this verdict. %s\n",
			certificate.Statement)
		if !c.IsSet("max-wrong") {
			return nil
		}
	}
	limit, err := shareOf(c, "max-wrong", c.String("max-wrong"))
	if err != nil {
		return err
	}
	source, err := onePath(c, c.Args().Slice())
	if err != nil {
		return err
	}
	v, err := p.cover(c.Context, certificate, source, limit, p.Reading(c))
	if err != nil {
		return err
	}
	err = p.PrintJSON(certified{High: certificate.Rate.High, Risk: certificate.Plan.Risk, Limit: limit, Cover: v})
	if err != nil || v.Passes {
		return err
	}
	return failedCheck(v, limit)
}

func (p Program) cover(ctx context.Context, certificate *audit.Certificate, s own.Source, limit float64,
	reading func(what string, done, total int)) (audit.Cover, error) {
	data, sums, err := find.Labels(ctx, s, 0, reading)
	if err != nil {
		return audit.Cover{}, err
	}
	if certificate.Examples.Contents == nil {
		sums = nil
	}
	return certificate.Covers(data, sums, limit)
}

// failedCheck says why data does not pass, and what to do.
func failedCheck(v audit.Cover, limit float64) error {
	text := fmt.Sprintf("up to %.3g %% of %s may be wrong, more than %.3g %%: the certificate covers %s of them",
		100*v.High, humanize.Count(v.Labels, "label"), 100*limit, humanize.Number(v.Covered))
	if v.Checks > 0 {
		return fmt.Errorf("%s, and %s of %s would have to be right: audit the data again and continue with losscorr review "+
			"--accept", text, humanize.Number(v.Checks), humanize.Count(v.Changed, "new or changed label"))
	}
	return fmt.Errorf("%s: check more labels with losscorr review --accept", text)
}
