package command

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/internal/audit/find"
	"github.com/losscorr/losscorr/internal/command/app"
	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/files"
	"github.com/losscorr/losscorr/internal/rows"
	"github.com/losscorr/losscorr/internal/run"
)

func (p Program) noisifyCommand() *cli.Command {
	return &cli.Command{
		Name: "noisify", Usage: "make some of the labels wrong, to try the other commands", ArgsUsage: "LABELS|DATA",
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "noise", Usage: "kind:level, such as symmetric:.2, asymmetric:.2 (each class to the next) " +
				"or matrix:T.csv"},
			&cli.Uint64Flag{Name: "seed", Value: 1,
				Usage: "random seed; training with this seed and noise draws the same labels, unless a split sets rows aside"},
			&cli.StringFlag{Name: "out", Usage: "`FILE`.csv to write", DefaultText: "standard output"},
			app.MaxBadFlag(),
			&cli.BoolFlag{Name: "quiet", Usage: "show no progress"},
		}, sourceFlags()),
		Action: p.noisify,
	}
}

// truthColumn is the column of a noisy table with the labels before noise.
const truthColumn = "truth"

// noisify writes a table with label noise: for LABELS, the same table with a column of
// true labels; for other data, the names, noisy labels and true labels.
func (p Program) noisify(c *cli.Context) error {
	source, err := onePath(c, c.Args().Slice())
	if err != nil {
		return err
	}
	if c.String("noise") == "" {
		return app.Misuse(c, "--noise is missing: symmetric:.2, asymmetric:.2 or matrix:T.csv")
	}
	noise, err := app.NoiseOf(c.String("noise"))
	if err != nil {
		return app.Misuse(c, "--noise %s: %v", c.String("noise"), err)
	}
	out := c.String("out")
	if err := keepsInput(out, source); err != nil {
		return app.Misuse(c, "%v", err)
	}
	table := rows.Is(source.Path) && source.Labels == "" && !own.IsEmbedded(source.Path)
	data, err := p.openNoisified(c, source, table)
	if err != nil {
		return err
	}
	t, err := run.OwnNoise(noise, data.Classes)
	if err != nil {
		return err
	}
	clean := data.Train.Labels
	noisy, err := t.Corrupt(clean, rand.New(rand.NewPCG(config.Stream(c.Uint64("seed"), "noise"), 0)))
	if err != nil {
		return err
	}
	n := &noisified{data: data, noisy: noisy, noised: make([]bool, len(noisy))}
	write := n.list
	if table {
		write = func(w io.Writer) error { return n.table(w, source) }
	}
	if out == "" {
		err = write(app.Raw(p.Stdout))
	} else {
		err = app.WriteFile(out, write)
	}
	if err != nil {
		return err
	}
	return n.realised(p.Stderr, t)
}

// openNoisified reads the labels to add noise to. It keeps all rows of a table, in their order.
func (p Program) openNoisified(c *cli.Context, source own.Source, table bool) (*dataset.Dataset, error) {
	if table {
		d, err := own.OpenLabels(source)
		if err != nil {
			return nil, dataset.Errorf("%w", err)
		}
		return d, nil
	}
	if ending := strings.ToLower(filepath.Ext(source.Path)); source.Labels == "" &&
		(ending == ".npy" || ending == ".txt") {
		source = own.Source{Labels: source.Path, ClassNames: source.ClassNames}
	}
	return find.OpenData(c.Context, source, dataset.Options{Offline: true, MaxBad: c.Int("max-bad"),
		Progress: p.Reading(c)})
}

// keepsInput returns an error if the output would replace an input file.
func keepsInput(out string, s own.Source) error {
	if out == "" {
		return nil
	}
	if !strings.EqualFold(filepath.Ext(out), ".csv") {
		return fmt.Errorf("--out %s: choose a name that ends in .csv", out)
	}
	if err := app.Writable(out); err != nil {
		return err
	}
	return files.Overwrites(out, s.Inputs()...)
}

// noisified holds labels before and after noise.
type noisified struct {
	data   *dataset.Dataset
	noisy  []int
	noised []bool // examples written with their noisy label
}

// list writes names, noisy and true labels.
func (n *noisified) list(w io.Writer) error {
	lines := [][]string{{"id", "label", truthColumn}}
	for k, y := range n.noisy {
		n.noised[k] = true
		lines = append(lines, []string{rows.Cell(n.data.Train.ID(k)), rows.Cell(n.data.Classes[y]), n.given(k)})
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// given returns the label of example k before noise, as a table cell.
func (n *noisified) given(k int) string { return rows.Cell(n.data.Classes[n.data.Train.Labels[k]]) }

// table writes the table of a source with noisy labels and a column of true labels. Test
// examples keep their labels.
func (n *noisified) table(w io.Writer, s own.Source) error {
	r, err := rows.Open(s.Path)
	if err != nil {
		return dataset.Errorf("%w", err)
	}
	defer r.Close()
	switch {
	case r.Has(truthColumn):
		return dataset.Errorf("%s has a column %q already; noisify a table of clean labels", s.Path,
			truthColumn)
	case s.Split != "" && !r.Has(s.Split):
		return dataset.Errorf("%w", r.Missing(s.Split))
	}
	label, lines := r.Index(cmp.Or(s.Label, "label")), [][]string{append(slices.Clone(r.Columns()), truthColumn)}
	for k := 0; ; k++ {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return csv.NewWriter(w).WriteAll(lines)
		}
		if err != nil {
			return dataset.Errorf("%w", err)
		}
		line := append(slices.Clone(row), row[label])
		if len(s.ClassNames) > 0 { // write names in all rows
			line[label], line[len(row)] = n.given(k), n.given(k)
		}
		if s.Split == "" || !strings.EqualFold(strings.TrimSpace(row[r.Index(s.Split)]), "test") {
			n.noised[k] = true
			if y := n.noisy[k]; y != n.data.Train.Labels[k] {
				line[label] = rows.Cell(n.data.Classes[y])
			}
		}
		lines = append(lines, line)
	}
}

// realised prints the shares of the drawn labels.
func (n *noisified) realised(w io.Writer, t *correction.Matrix) error {
	var clean, noisy []int
	wrong := 0
	for k, y := range n.noisy {
		if !n.noised[k] {
			continue
		}
		clean, noisy = append(clean, n.data.Train.Labels[k]), append(noisy, y)
		if y != n.data.Train.Labels[k] {
			wrong++
		}
	}
	drawn, err := t.Realised(clean, noisy)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%d of %d labels are wrong now; T as drawn (rows: true class, columns: label):\n%v", wrong,
		len(noisy), drawn)
	return err
}
