package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/internal/report/reporttest"

	"github.com/losscorr/losscorr/internal/config"
	"github.com/losscorr/losscorr/internal/store"
)

func names(rows []Row) []string {
	var out []string
	for _, r := range rows {
		out = append(out, r.Name)
	}
	return out
}

func TestTables(t *testing.T) {
	results := reporttest.Block()
	slices.Reverse(results)
	tables := Tables(FromResults(results...))
	if len(tables) != 1 {
		t.Fatalf("%d tables, want 1", len(tables))
	}
	table := tables[0]
	if diff := cmp.Diff([]string{"cross-entropy", "forward", "forward-estimated"}, names(table.Rows)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Column{{Noise: "none"}, {Noise: "asymmetric", Level: .6}}, table.Columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	ce := table.Cells[0][1]
	if got := ce.Selected.String(); got != "53.5 ± 1.0" {
		t.Errorf("cross-entropy selected %s, want 53.5 ± 1.0", got)
	}
	if !slices.Equal(ce.Seeds, []uint64{0, 1, 2}) || ce.Date != "2026-01-02" || ce.Paper == nil || ce.Paper.Mean != 53 {
		t.Errorf("cell %+v", ce)
	}
	// 53.5 at the selected epoch, 57.0 at the last one.
	if d, ok := ce.Difference(); !ok || d < .49 || d > .51 {
		t.Errorf("difference %v, %v, want .5", d, ok)
	}
	if table.Cells[2][0] != nil {
		t.Error("a cell without runs is there")
	}
}

func TestTablesKeepDifferentRunsApart(t *testing.T) {
	short := reporttest.Result("forward", "asymmetric", .6, 0, 80, 80)
	short.Config.Epochs = 2
	moved := reporttest.Result("forward", "asymmetric", .6, 3, 97, 97)
	moved.Config.Device, moved.Config.Workers, moved.Config.Data = "cuda", 4, "elsewhere"
	again := reporttest.Result("forward", "asymmetric", .6, 0, 96, 96)
	again.Finished = "2026-02-01T00:00:00Z"
	other := reporttest.Result("forward-estimated", "asymmetric", .6, 0, 90, 90)
	other.Config.Estimator = config.Estimator{Name: "class-quantile", Kappa: .3}
	tables := Tables(FromResults(append(reporttest.Block(), short, moved, again, other)...))
	if len(tables) != 2 || tables[0].Epochs != 2 || tables[1].Epochs != 40 {
		t.Fatalf("%d tables, want one of 2 and one of 40 epochs", len(tables))
	}
	table := tables[1]
	want := []string{"cross-entropy", "forward", "forward-estimated", "forward-estimated (class-quantile kappa 0.3)"}
	if diff := cmp.Diff(want, names(table.Rows)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	cell := table.Cells[1][1]
	if !slices.Equal(cell.Seeds, []uint64{0, 1, 2, 3}) || cell.Date != "2026-02-01" {
		t.Errorf("seeds %v, date %s; seed 3 ran elsewhere, seed 0 twice", cell.Seeds, cell.Date)
	}
	if got, want := cell.Selected.Mean, (96+97.3+97.4+97)/4; got < want-1e-9 || got > want+1e-9 {
		t.Errorf("mean %v, want %v, of the later result of seed 0", got, want)
	}
}

const notes = `b  best or tied (Welch's test, p ≥ .05, each pair alone as in the paper) without the true T
*  with the true T, and better
`

func TestWriteTextWide(t *testing.T) {
	results := reporttest.Block()
	results[0].State = "diverged"
	got := Tables(FromResults(results...))[0].text(110)
	want := `mnist, mlp, preset code, 40 epochs, 3 seeds: test accuracy in %, mean ± sample standard deviation

                     no noise                               asymmetric 0.6
loss                   selected        last  paper  diff      selected           last     paper  diff
cross-entropy        97.9 ± 0.1  98.0 ± 0.1   97.9  +0.0    53.5 ± 1.0     57.0 ± 1.0      53.0  +0.5
forward              97.9 ± 0.1  97.9 ± 0.1   97.9  +0.0    97.3 ± 0.1 b*  97.1 ± 0.1 b*   97.3  +0.0
forward-estimated             -           -                 70.0 ± 3.0 b   66.0 ± 3.0 b    64.9  +5.1

` + notes + `forward, asymmetric 0.6: 1 of 3 runs diverged and count with the accuracy they had
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// Too wide for the terminal: a block a noise, without the losses that it lacks.
func TestWriteTextNarrow(t *testing.T) {
	got := Tables(FromResults(reporttest.Block()...))[0].text(80)
	want := `mnist, mlp, preset code, 40 epochs, 3 seeds: test accuracy in %, mean ± sample standard deviation

                 no noise
loss               selected        last  paper  diff
cross-entropy    97.9 ± 0.1  98.0 ± 0.1   97.9  +0.0
forward          97.9 ± 0.1  97.9 ± 0.1   97.9  +0.0

                     asymmetric 0.6
loss                   selected           last     paper  diff
cross-entropy        53.5 ± 1.0     57.0 ± 1.0      53.0  +0.5
forward              97.3 ± 0.1 b*  97.1 ± 0.1 b*   97.3  +0.0
forward-estimated    70.0 ± 3.0 b   66.0 ± 3.0 b    64.9  +5.1

` + notes
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// A noise that the paper has not has no columns for its numbers, in no format.
func TestNoEmptyPaperColumns(t *testing.T) {
	table := Tables(FromResults(reporttest.Result("forward", "asymmetric", .35, 1, 97, 96), reporttest.Result("forward", "asymmetric", .6, 1, 97, 96)))[0]
	want := `mnist, mlp, preset code, 40 epochs, 1 seed: test accuracy in %, mean ± sample standard deviation

           asymmetric 0.35    asymmetric 0.6
loss       selected   last    selected  last  paper  diff
forward        97.0   96.0        97.0  96.0   97.3  -0.3
`
	if diff := cmp.Diff(want, table.text(100)); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	var b strings.Builder
	if err := table.WriteLaTeX(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"{lccccc}", `\cmidrule(lr){2-3}\cmidrule(lr){4-6}`, " & selected & last & selected & last & paper ", "forward & $97.0$ & $96.0$ & $97.0$ & $96.0$ & $\\bm{97.3"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}

func TestWriteMarkdown(t *testing.T) {
	var b strings.Builder
	if err := Tables(FromResults(reporttest.Block()...))[0].WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	want := `mnist, mlp, preset code, 40 epochs, 3 seeds: test accuracy in %, mean ± sample standard deviation; selected / last epoch (paper, difference at the selected one).

| loss | no noise | asymmetric 0.6 |
|:---|:---|:---|
| cross-entropy | 97.9 ± 0.1 / 98.0 ± 0.1 (97.9, +0.0) | 53.5 ± 1.0 / 57.0 ± 1.0 (53.0, +0.5) |
| forward | 97.9 ± 0.1 / 97.9 ± 0.1 (97.9, +0.0) | **97.3 ± 0.1**★ / **97.1 ± 0.1**★ (97.3, +0.0) |
| forward-estimated | - | **70.0 ± 3.0** / **66.0 ± 3.0** (64.9, +5.1) |

**bold**: best or tied (Welch's test, p ≥ .05, each pair alone as in the paper) without the true T; ★: with the true T, and better.
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("markdown (-want +got):\n%s", diff)
	}
}

func TestWriteCSV(t *testing.T) {
	results := append(reporttest.Block(), reporttest.Result("mystery", "asymmetric", .6, 7, 50, 51))
	for k := range results {
		if results[k].Config.Loss == "forward-estimated" {
			results[k].Transition = &store.TransitionInfo{Estimated: [][]float64{{1}}, EstimateError: .1 * float64(k)}
		}
	}
	var b strings.Builder
	if err := WriteCSV(&b, Tables(FromResults(results...)), "0.1.0"); err != nil {
		t.Fatal(err)
	}
	want := `dataset,data_variant,model,preset,settings,epochs,quick,noise,level,loss,seeds,diverged,selected_mean,selected_std,last_mean,last_std,bold,star,dagger,estimate_error,paper,paper_std,difference,date,version,revision,cpu,libtorch
mnist,,mlp,code,,40,0,none,,cross-entropy,0 1 2,0,97.900,0.100,98.000,0.100,0,0,0,,97.9,0.0,0.000,2026-01-02,0.1.0,,,
mnist,,mlp,code,,40,0,none,,forward,0 1 2,0,97.900,0.100,97.900,0.100,0,0,0,,97.9,0.0,0.000,2026-01-02,0.1.0,,,
mnist,,mlp,code,,40,0,asymmetric,0.6,cross-entropy,0 1 2,0,53.500,1.000,57.000,1.000,0,0,0,,53.0,0.6,0.500,2026-01-02,0.1.0,,,
mnist,,mlp,code,,40,0,asymmetric,0.6,forward,0 1 2,0,97.300,0.100,97.100,0.100,1,1,0,,97.3,0.0,0.000,2026-01-02,0.1.0,,,
mnist,,mlp,code,,40,0,asymmetric,0.6,forward-estimated,0 1 2,0,70.000,3.000,66.000,3.000,1,0,0,0.7000,64.9,4.4,5.100,2026-01-02,0.1.0,,,
mnist,,mlp,code,,40,0,asymmetric,0.6,mystery,7,0,50.000,,51.000,,0,0,0,,,,,2026-01-02,0.1.0,,,
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("csv (-want +got):\n%s", diff)
	}
}

// A table says where T came from without naming folders above the working directory.
func TestFilesFromHere(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		filepath.Join(here, "noise", "T.csv"): "noise/T.csv",
		"/elsewhere/T.csv":                    "/elsewhere/T.csv",
		"T.csv":                               "T.csv", // of a table read from CSV
	} {
		r := reporttest.Result("forward", "matrix", 0, 1, 90, 90)
		r.Config.Noise.File, r.Config.Transition = file, file
		table := Tables(FromResults(r))[0]
		if got := table.Columns[0].String(); got != "matrix "+want {
			t.Errorf("noise %q, want matrix %s", got, want)
		}
		if got := table.Settings + table.Rows[0].Name; !strings.Contains(got, "T from "+want) {
			t.Errorf("%q, want T from %s", got, want)
		}
	}
}

// Rows stand as in Table 2, each loss's other form after it, and then those of other
// papers.
func TestRowsInThePapersOrder(t *testing.T) {
	want := []string{
		"cross-entropy", "unhinged", "unhinged-symmetric", "sigmoid", "sigmoid-symmetric", "savage", "savage-logits",
		"bootstrap-soft", "bootstrap-hard", "backward", "backward-estimated", "forward", "forward-estimated",
	}
	for _, loss := range config.Losses() {
		if !slices.Contains(want[:13], loss) {
			want = append(want, loss)
		}
	}
	var results []store.Result
	for _, loss := range slices.Backward(config.Losses()) {
		results = append(results, reporttest.Result(loss, "symmetric", .2, 1, 90, 90))
	}
	if diff := cmp.Diff(want, names(Tables(FromResults(results...))[0].Rows)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// A row that was given known labels says so, alone of its loss or not.
func TestTrustedRowsSaySo(t *testing.T) {
	named := reporttest.Result("forward-estimated", "asymmetric", .6, 1, 97, 97)
	named.Config.Trusted = "2"
	if got := names(Tables(FromResults(named))[0].Rows); !slices.Equal(got, []string{"forward-estimated (trusted 2)"}) {
		t.Errorf("rows %q", got)
	}
	alone := reporttest.Result("forward-estimated", "asymmetric", .6, 1, 80, 80)
	want := []string{"forward-estimated", "forward-estimated (trusted 2)"}
	if got := names(Tables(FromResults(named, alone))[0].Rows); !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
}

// Full runs, quick ones and those of another copy of the data stand in tables
// of their own, and the titles say which is which.
func TestTablesSayWhatTheyHold(t *testing.T) {
	full := reporttest.Result("forward", "asymmetric", .6, 1, 97, 97)
	quick, copied, wide, short, whole := full, full, full, full, full
	quick.Config.Quick, quick.Config.Epochs = true, 3
	quick.Config.Examples = config.Examples{Train: 5000, Test: 2000}
	copied.DataVariant = "JPEG copy"
	wide.Config.Optimizer.Milestones, wide.Config.StepsPerEpoch = []int{5, 15}, 390
	short.Config.Epochs, short.Config.Examples.Train = 3, 6000
	whole.Config.Quick, whole.Config.Epochs = true, 3
	var titles []string
	for _, table := range Tables(FromResults(quick, wide, copied, full, short, whole)) {
		titles = append(titles, table.Title())
		if about := table.About(); strings.HasSuffix(about, "; do not quote") != table.Quick {
			t.Errorf("the page says %q", about)
		}
	}
	const what = ", 1 seed: test accuracy in %, mean ± sample standard deviation"
	want := []string{
		"mnist, mlp, preset code, 3 epochs in place of 40, 6000 training examples" + what,
		"mnist, mlp, preset code, 40 epochs" + what,
		"mnist, mlp, preset code with steps_per_epoch 390, optimizer.milestones [5,15], 40 epochs" + what,
		"mnist (JPEG copy), mlp, preset code, 40 epochs" + what,
		"quick: mnist, mlp, preset code, 3 epochs in place of 40 (all data, fewer epochs; do not quote)" + what,
		"quick: mnist, mlp, preset code, 3 epochs in place of 40 (5000 training examples, 2000 test examples; do not quote)" + what,
	}
	if diff := cmp.Diff(want, titles); diff != "" {
		t.Errorf("titles (-want +got):\n%s", diff)
	}
	var b bytes.Buffer
	kept, err := []*Table(nil), WriteCSV(&b, Tables(FromResults(quick, wide, copied, full, short, whole)), "")
	if err == nil {
		kept, err = ReadCSV(&b)
	}
	if err != nil || len(kept) != len(want) {
		t.Fatalf("%d kept tables, %v", len(kept), err)
	}
	for k, table := range kept { // kept tables may leave out how much of the data was used
		title := strings.Replace(want[k], "all data, fewer epochs", "scaled down", 1)
		if got := table.Title(); got != title {
			t.Errorf("a kept table is %q, want %q", got, title)
		}
	}
}

// A file of one's own may change between two runs, and these are no seeds of one cell then.
func TestTablesKeepOwnDataApart(t *testing.T) {
	var runs []*Run
	for seed, sum := range []string{"5f116e0a4b62", "5f116e0a4b62", "14d72eb09d1e", ""} {
		r := reporttest.Result("forward-estimated", "none", 0, uint64(seed), 90, 90)
		r.Config.Dataset, r.Config.Preset, r.Config.Source.Path = "own", "fixed", "/home/own.csv"
		run := FromResults(r)[0]
		if sum != "" {
			run.Environment.Data = map[string]string{"/home/own.csv": sum}
		}
		runs = append(runs, run)
	}
	var got []string
	for _, table := range Tables(runs) {
		got = append(got, fmt.Sprint(table.Settings, " ", table.Cells[0][0].Seeds))
	}
	if want := []string{"data unset [3]", "data 14d72eb0 [2]", "data 5f116e0a [0 1]"}; !slices.Equal(got, want) {
		t.Errorf("tables %q, want %q", got, want)
	}
	if got := Tables(runs[:2])[0].Settings; got != "" {
		t.Errorf("a table alone has settings %q", got)
	}
	moved := *runs[1]
	moved.Environment.Data = map[string]string{"/elsewhere/own.csv": "5f116e0a4b62"}
	if n := len(Tables([]*Run{runs[0], &moved})); n != 1 {
		t.Errorf("%d tables of one content at two places", n)
	}
	moved.Environment.Data["/elsewhere/labels.csv"] = "14d72eb09d1e"
	if n := len(Tables([]*Run{runs[0], &moved})); n != 2 {
		t.Errorf("%d tables, one with a second file", n)
	}
	// Official data has its variant: the hash of an archive is not that of its files.
	one, two := FromResults(reporttest.Block()...), FromResults(reporttest.Block()...)
	for k := range one {
		one[k].Environment.Data, two[k].Environment.Data = map[string]string{"a": "1"}, map[string]string{"b": "2"}
	}
	if n := len(Tables(slices.Concat(one, two))); n != 1 {
		t.Errorf("%d tables of official data", n)
	}
}

// Groups of classes belong to the noise: two kinds of them are two columns.
func TestGroupsAreColumns(t *testing.T) {
	var results []store.Result
	for _, groups := range []string{"super-classes", "index"} {
		for _, kind := range []string{"none", "symmetric", "asymmetric"} {
			r := reporttest.Result("forward", kind, .2, 1, 60, 60)
			r.Config.Dataset, r.Config.Model, r.Config.Noise.Groups = "cifar100", "resnet44", groups
			results = append(results, r)
		}
	}
	tables := Tables(FromResults(results...))
	if len(tables) != 1 {
		t.Fatalf("%d tables, want 1", len(tables))
	}
	var columns []string
	for _, c := range tables[0].Columns {
		columns = append(columns, c.String())
	}
	want := []string{"no noise", "symmetric 0.2", "asymmetric 0.2 (index)", "asymmetric 0.2 (super-classes)"}
	if diff := cmp.Diff(want, columns); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
}

// Where T is not known, its estimate has no error.
func TestNoErrorOfUnknownT(t *testing.T) {
	results := reporttest.Block()
	for k := range results {
		m := reporttest.Matrices()
		m.Nominal, m.EstimateError = nil, math.NaN()
		m.Learned, m.LearnedError = m.Estimated, math.NaN()
		results[k].Transition = m
	}
	runs := FromResults(results...)
	l := List(&Study{Runs: runs})
	for _, column := range []string{"estimate_error", "learned_error"} {
		for _, row := range l.Rows {
			if got := row[slices.Index(l.Names(), column)]; got != "" {
				t.Errorf("%s is %q", column, got)
			}
		}
	}
	for _, c := range Tables(runs)[0].Filled() {
		if c.EstimateError.N > 0 {
			t.Errorf("a cell with an error of %v", c.EstimateError.Mean)
		}
	}
}

// Where the data has no test set, accuracies are empty and nothing is drawn of them.
func TestNoTestSet(t *testing.T) {
	results := reporttest.Block()
	for k := range results {
		results[k].Selected.TestAccuracy, results[k].Last.TestAccuracy = math.NaN(), math.NaN()
	}
	table := Tables(FromResults(results...))[0]
	if s := table.Sweep("asymmetric"); len(s.Lines) > 0 {
		t.Errorf("lines %+v", s.Lines)
	}
	var b strings.Builder
	if err := WriteCSV(&b, []*Table{table}, "0.1.0"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), ",none,,forward,0 1 2,0,,,,,0,0,0,") {
		t.Errorf("accuracies in\n%s", b.String())
	}
}
