package command

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
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

// acceptFlags returns the flags of review --accept, and the flags that describe data without an audit.
func acceptFlags() []cli.Flag {
	const of = "ACCEPT"
	return append([]cli.Flag{
		&cli.StringFlag{Name: "accept", Category: of, Usage: "check random labels until it is clear whether fewer than " +
			"`SHARE` of all are wrong, such as 3%; you may stop at any time"},
		&cli.StringFlag{Name: "reject", Category: of, Usage: "reject when more than `SHARE` are wrong",
			DefaultText: "as --accept"},
		&cli.StringFlag{Name: "risk", Category: of, Value: "5%", Usage: "highest probability of either wrong verdict"},
		&cli.IntFlag{Name: "checks", Category: of, Usage: "stop undecided after `N` checks"},
		&cli.StringFlag{Name: "source", Category: of, Usage: "`COLUMN` that names where each label comes from, such as a " +
			"person or a prompt: print the share of wrong labels for each"},
		&cli.StringSliceFlag{Name: "answers-from", Category: of, Usage: "read answers from `FILE`, written by --write and " +
			"filled in, and print the verdict without opening a page"},
		&cli.StringFlag{Name: "out", Category: of, Usage: "folder for labels without an audit",
			DefaultText: "audits/<name of DATA>"},
	}, sourceFlags()...)
}

// shareOf parses a share, such as 3% or .03.
func shareOf(c *cli.Context, flag, text string) (float64, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0 && v < 1) {
		return 0, app.Misuse(c, "--%s %s: give a share between 0 and 1, such as 3%% or .03", flag, text)
	}
	return v, nil
}

// acceptOf returns the options of --accept, or nil without the flag.
func acceptOf(c *cli.Context) (*review.Accept, error) {
	if !c.IsSet("accept") {
		return nil, app.Needs(c, "accept SHARE", "reject", "risk", "checks", "source", "answers-from", "out")
	}
	a := &review.Accept{Checks: c.Int("checks")}
	for k, to := range []*float64{&a.Limit, &a.Reject, &a.Risk} {
		flag := []string{"accept", "reject", "risk"}[k]
		v, err := shareOf(c, flag, cmp.Or(c.String(flag), c.String("accept"))) // --reject defaults to --accept
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

// reviewed opens the audit that the command line names. With --accept the argument may be data; reviewed then opens
// the audit of that data, or starts one without a model.
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
	return find.Unjudged(c.Context, r, p.Reading(c)) // the data may have changed
}

// openUnchanged opens an audit and refuses it if its data has changed.
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
		return nil, dataset.Errorf("%s has changed since the audit; audit it again (answers are kept): %s",
			changed, s.Command)
	}
	return f, nil
}

// auditCommandOf returns the command that audits the reviewed data into dir.
func auditCommandOf(c *cli.Context, dir string) string {
	words := append([]string{"losscorr", "audit"}, c.Args().Slice()...)
	for _, f := range own.Fields {
		if f.Flag != "" && c.IsSet(f.Flag) {
			words = append(words, "--"+f.Flag, fmt.Sprint(c.Value(f.Flag)))
		}
	}
	return shell.Join(append(words, "--out", dir)...)
}

// sourcesOf reads the column named by --source from the audited data.
func (p Program) sourcesOf(c *cli.Context, f *audit.Folder) (audit.Sources, error) {
	from := audit.Sources{Column: c.String("source"), Of: map[string]string{}}
	if from.Column == "" {
		return from, nil
	}
	s, err := f.Summary()
	if err != nil {
		return from, err
	}
	source := s.Source // read the column as if it were the labels
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

// certify prints the state of an acceptance, and writes certificate.json and acceptance.html.
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
	certificate := a.Certify(log.Said(a.Judged.Summary.Source), from, losscorr.Version)
	fmt.Fprintln(p.Stdout, certificate.Statement)
	if certificate.Rate.Checked == 0 {
		return nil
	}
	for _, part := range certificate.Parts {
		if part.By == from.Column {
			fmt.Fprintf(p.Stdout, "  %s %s: %s of %s labels checked, %d wrong; %.1f to %.1f %% of all\n", part.By,
				cmp.Or(part.Name, "(none)"), humanize.Number(part.Checked), humanize.Number(part.Labels), part.Wrong,
				100*part.Low, 100*part.High)
		}
	}
	html, err := page.Acceptance(certificate)
	if err != nil {
		return err
	}
	if err := f.WriteCertificate(certificate, html); err != nil {
		return err
	}
	fmt.Fprintf(p.Stderr, "%s is the page to hand on; to test data with it: losscorr check DATA --max-wrong SHARE "+
		"--certificate %s\n", f.Path(audit.AcceptancePage), f.Path(audit.CertificateFile))
	return nil
}

// certified is the JSON that check prints for a certificate.
type certified struct {
	High  float64 `json:"certificate_high"` // upper bound on the share of wrong labels
	Risk  float64 `json:"risk"`
	Limit float64 `json:"limit"`
	audit.Cover
}

// checkCertificate tests by a certificate whether data has few enough wrong labels.
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
	data, sums, err := find.Labels(c.Context, source, 0, p.Reading(c))
	if err != nil {
		return err
	}
	if certificate.Examples.Contents == nil {
		sums = nil
	}
	v, err := certificate.Covers(data, sums, limit)
	if err != nil {
		return err
	}
	err = p.PrintJSON(certified{High: certificate.Rate.High, Risk: certificate.Plan.Risk, Limit: limit, Cover: v})
	if err != nil || v.Passes {
		return err
	}
	return failedCheck(v, limit)
}

// failedCheck explains why data does not pass, and what to do.
func failedCheck(v audit.Cover, limit float64) error {
	text := fmt.Sprintf("up to %.3g %% of %s may be wrong, more than %.3g %%; the certificate covers %s of them",
		100*v.High, humanize.Count(v.Labels, "label"), 100*limit, humanize.Number(v.Covered))
	if v.Checks > 0 {
		return fmt.Errorf("%s; %s of %s would have to be right; audit the data again and continue with losscorr review "+
			"--accept", text, humanize.Number(v.Checks), humanize.Count(v.Changed, "new or changed label"))
	}
	return fmt.Errorf("%s; check more labels with losscorr review --accept", text)
}
