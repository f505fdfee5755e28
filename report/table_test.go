package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/config"
	"github.com/losscorr/losscorr/store"
)

// result is a run of the MNIST block.
func result(loss, noise string, level float64, seed uint64, selected, last float64) store.Result {
	r := store.Result{Schema: 1, ID: fmt.Sprint(loss, noise, level, seed), State: "done", Finished: "2026-01-02T03:04:05Z"}
	r.Config = config.Config{Dataset: "mnist", Model: "mlp", Preset: "code", Loss: loss, Seed: seed, Epochs: 40,
		Noise: config.Noise{Kind: noise, Level: level}}
	r.Selected.TestAccuracy, r.Last.TestAccuracy = selected, last
	return r
}

// block is what a small grid gives: three losses, two noises, three seeds.
func block() []store.Result {
	var results []store.Result
	for seed := range uint64(3) {
		d := .1 * (float64(seed) - 1)
		results = append(results,
			result("forward", "asymmetric", .6, seed, 97.3+d, 97.1+d),
			result("cross-entropy", "asymmetric", .6, seed, 53.5+10*d, 57+10*d),
			result("forward-estimated", "asymmetric", .6, seed, 70+30*d, 66+30*d),
			result("forward", "none", 0, seed, 97.9+d, 97.9+d),
			result("cross-entropy", "none", 0, seed, 97.9+d, 98.0+d),
		)
	}
	return results
}

func names(rows []Row) []string {
	var out []string
	for _, r := range rows {
		out = append(out, r.Name)
	}
	return out
}

func TestTables(t *testing.T) {
	results := block()
	slices.Reverse(results)
	tables := Tables(results)
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
	if !slices.Equal(ce.Seeds, []uint64{0, 1, 2}) || ce.Date != "2026-01-02" || ce.Paper == nil || ce.Paper.Accuracy != 53 {
		t.Errorf("cell %+v", ce)
	}
	// 53.5 is nearer to 53.0 than 57.0.
	if d, ok := ce.Difference(); !ok || d < .49 || d > .51 {
		t.Errorf("difference %v, %v, want .5", d, ok)
	}
	if table.Cells[2][0] != nil {
		t.Error("a cell without runs is there")
	}
}

func TestTablesKeepDifferentRunsApart(t *testing.T) {
	short := result("forward", "asymmetric", .6, 0, 80, 80)
	short.Config.Epochs = 2
	moved := result("forward", "asymmetric", .6, 3, 97, 97)
	moved.Config.Device, moved.Config.Workers, moved.Config.Data = "cuda", 4, "elsewhere"
	again := result("forward", "asymmetric", .6, 0, 96, 96)
	again.Finished = "2026-02-01T00:00:00Z"
	other := result("forward-estimated", "asymmetric", .6, 0, 90, 90)
	other.Config.Estimator = config.Estimator{Name: "class-quantile", Kappa: .3}
	tables := Tables(append(block(), short, moved, again, other))
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

const notes = `b  highest of its column, or not distinguishable from it (Welch's t-test, p ≥ 5 %; single runs: within
   0.5 points); where the highest knows the true T, the next highest too
*  higher than all that do not know the true T, which it does
`

func TestWriteTextWide(t *testing.T) {
	results := block()
	results[0].State = "diverged"
	var b strings.Builder
	if err := Tables(results)[0].WriteText(&b, TextOptions{Width: 110}); err != nil {
		t.Fatal(err)
	}
	want := `mnist, mlp, preset code, 40 epochs, 3 seeds: test accuracy in %, mean ± sample standard deviation

                     no noise                               asymmetric 0.6
loss                   selected        last  paper  diff      selected           last     paper  diff
cross-entropy        97.9 ± 0.1  98.0 ± 0.1   97.9  +0.0    53.5 ± 1.0     57.0 ± 1.0      53.0  +0.5
forward              97.9 ± 0.1  97.9 ± 0.1   97.9  +0.0    97.3 ± 0.1 b*  97.1 ± 0.1 b*   97.3  +0.0
forward-estimated             -           -                 70.0 ± 3.0 b   66.0 ± 3.0 b    64.9  +1.1

` + notes + `forward, asymmetric 0.6: 1 of 3 runs diverged and count with the accuracy they had
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// Too wide for the terminal: a block a noise, without the losses that it lacks.
func TestWriteTextNarrow(t *testing.T) {
	var b strings.Builder
	if err := Tables(block())[0].WriteText(&b, TextOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	want := `mnist, mlp, preset code, 40 epochs, 3 seeds: test accuracy in %, mean ± sample standard deviation

                 no noise
loss               selected        last  paper  diff
cross-entropy    97.9 ± 0.1  98.0 ± 0.1   97.9  +0.0
forward          97.9 ± 0.1  97.9 ± 0.1   97.9  +0.0

                     asymmetric 0.6
loss                   selected           last     paper  diff
cross-entropy        53.5 ± 1.0     57.0 ± 1.0      53.0  +0.5
forward              97.3 ± 0.1 b*  97.1 ± 0.1 b*   97.3  +0.0
forward-estimated    70.0 ± 3.0 b   66.0 ± 3.0 b    64.9  +1.1

` + notes
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestWriteMarkdown(t *testing.T) {
	var b strings.Builder
	if err := Tables(block())[0].WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	want := `mnist, mlp, preset code, 40 epochs, 3 seeds: test accuracy in %, mean ± sample standard deviation; selected / last epoch (paper, difference of the nearer).

| loss | no noise | asymmetric 0.6 |
|:---|:---|:---|
| cross-entropy | 97.9 ± 0.1 / 98.0 ± 0.1 (97.9, +0.0) | 53.5 ± 1.0 / 57.0 ± 1.0 (53.0, +0.5) |
| forward | 97.9 ± 0.1 / 97.9 ± 0.1 (97.9, +0.0) | **97.3 ± 0.1**★ / **97.1 ± 0.1**★ (97.3, +0.0) |
| forward-estimated | - | **70.0 ± 3.0** / **66.0 ± 3.0** (64.9, +1.1) |

**bold**: highest of its column, or not distinguishable from it (Welch's t-test, p ≥ 5 %; single runs: within 0.5 points); where the highest knows the true T, the next highest too; ★: higher than all that do not know the true T, which it does.
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("markdown (-want +got):\n%s", diff)
	}
}

func TestWriteCSV(t *testing.T) {
	results := append(block(), result("mystery", "asymmetric", .6, 7, 50, 51))
	for k := range results {
		if results[k].Config.Loss == "forward-estimated" {
			results[k].Transition = &store.TransitionInfo{Estimated: [][]float64{{1}}, EstimateError: .1 * float64(k)}
		}
	}
	var b strings.Builder
	if err := WriteCSV(&b, Tables(results), "0.1.0"); err != nil {
		t.Fatal(err)
	}
	want := `dataset,data_variant,model,preset,settings,epochs,quick,noise,level,loss,seeds,diverged,selected_mean,selected_std,last_mean,last_std,bold,star,dagger,estimate_error,paper,paper_std,difference,date,version
mnist,,mlp,code,,40,0,none,,cross-entropy,0 1 2,0,97.900,0.100,98.000,0.100,0,0,0,,97.9,0.0,0.000,2026-01-02,0.1.0
mnist,,mlp,code,,40,0,none,,forward,0 1 2,0,97.900,0.100,97.900,0.100,0,0,0,,97.9,0.0,0.000,2026-01-02,0.1.0
mnist,,mlp,code,,40,0,asymmetric,0.6,cross-entropy,0 1 2,0,53.500,1.000,57.000,1.000,0,0,0,,53.0,0.6,0.500,2026-01-02,0.1.0
mnist,,mlp,code,,40,0,asymmetric,0.6,forward,0 1 2,0,97.300,0.100,97.100,0.100,1,1,0,,97.3,0.0,0.000,2026-01-02,0.1.0
mnist,,mlp,code,,40,0,asymmetric,0.6,forward-estimated,0 1 2,0,70.000,3.000,66.000,3.000,1,0,0,0.7000,64.9,4.4,1.100,2026-01-02,0.1.0
mnist,,mlp,code,,40,0,asymmetric,0.6,mystery,7,0,50.000,,51.000,,0,0,0,,,,,2026-01-02,0.1.0
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("csv (-want +got):\n%s", diff)
	}
}

// Rows stand as in Table 2, each loss's other form after it.
func TestRowsInThePapersOrder(t *testing.T) {
	want := []string{
		"cross-entropy", "unhinged", "unhinged-symmetric", "sigmoid", "sigmoid-symmetric", "savage", "savage-logits",
		"bootstrap-soft", "bootstrap-hard", "backward", "backward-estimated", "forward", "forward-estimated",
	}
	if len(want) != len(config.Losses) {
		t.Fatalf("%d losses, want %d", len(config.Losses), len(want))
	}
	var results []store.Result
	for _, loss := range config.Losses {
		results = append(results, result(loss, "symmetric", .2, 1, 90, 90))
	}
	if diff := cmp.Diff(want, names(Tables(results)[0].Rows)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// A row that was given known labels says so, alone of its loss or not.
func TestTrustedRowsSaySo(t *testing.T) {
	named := result("forward-estimated", "asymmetric", .6, 1, 97, 97)
	named.Config.Trusted = "2"
	if got := names(Tables([]store.Result{named})[0].Rows); !slices.Equal(got, []string{"forward-estimated (trusted 2)"}) {
		t.Errorf("rows %q", got)
	}
	alone := result("forward-estimated", "asymmetric", .6, 1, 80, 80)
	want := []string{"forward-estimated", "forward-estimated (trusted 2)"}
	if got := names(Tables([]store.Result{named, alone})[0].Rows); !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
}

// Full runs, quick ones and those of another copy of the data stand in tables
// of their own, and the titles say which is which.
func TestTablesSayWhatTheyHold(t *testing.T) {
	full := result("forward", "asymmetric", .6, 1, 97, 97)
	quick, copied, wide := full, full, full
	quick.Config.Quick, quick.Config.Epochs = true, 3
	quick.Config.Examples = config.Examples{Train: 5000, Test: 2000}
	copied.DataVariant = "JPEG copy"
	wide.Config.EmbeddingDim, wide.Config.StepsPerEpoch = 50, 390
	var titles []string
	for _, table := range Tables([]store.Result{quick, wide, copied, full}) {
		titles = append(titles, table.Title())
		if about := table.about(); strings.Contains(about, "2000 test examples (scaled down: no figure)") != table.Quick {
			t.Errorf("the page says %q", about)
		}
	}
	const what = ", 1 seed: test accuracy in %, mean ± sample standard deviation"
	want := []string{
		"mnist, mlp, preset code, 40 epochs, steps unset, vectors unset" + what,
		"mnist, mlp, preset code, 40 epochs, steps 390, vectors 50" + what,
		"mnist (JPEG copy), mlp, preset code, 40 epochs" + what,
		"quick: mnist, mlp, preset code, 3 epochs, 5000 training examples, 2000 test examples (scaled down: no figure)" + what,
	}
	slices.Sort(titles[:2])
	slices.Sort(want[:2])
	if diff := cmp.Diff(want, titles); diff != "" {
		t.Errorf("titles (-want +got):\n%s", diff)
	}
}

// Groups of classes belong to the noise: two kinds of them are two columns.
func TestGroupsAreColumns(t *testing.T) {
	var results []store.Result
	for _, groups := range []string{"super-classes", "index"} {
		for _, kind := range []string{"none", "symmetric", "asymmetric"} {
			r := result("forward", kind, .2, 1, 60, 60)
			r.Config.Dataset, r.Config.Model, r.Config.Noise.Groups = "cifar100", "resnet44", groups
			results = append(results, r)
		}
	}
	tables := Tables(results)
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
