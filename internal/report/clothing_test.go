package report

import (
	"slices"
	"testing"

	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/report/reporttest"

	"github.com/losscorr/losscorr/internal/store"
)

func clothingRun(id, dataset, loss, weights string, seed uint64, accuracy float64) store.Result {
	r := reporttest.ResultOf(dataset, "resnet50", loss, "none", 0, seed, accuracy, accuracy+.5)
	r.ID = id
	r.Config.Preset, r.Config.Clip, r.Config.Weights = "paper", 0, weights
	return r
}

func TestTable3(t *testing.T) {
	quick := clothingRun("q", "clothing1m", "backward", "", 1, 40)
	quick.Config.Quick = true
	part := clothingRun("p", "clothing1m-clean", losses.FirstLoss, "/weights/resnet50.safetensors", 1, 75)
	part.Config.Examples.Train, part.Config.Epochs, part.DataVariant = 5000, 5, "made up"
	sheet := Table3(FromResults(
		clothingRun("ce", "clothing1m", losses.FirstLoss, "", 1, 68.9),
		clothingRun("f1", "clothing1m", "forward", "/weights/resnet50.safetensors", 1, 69.8),
		clothingRun("f2", "clothing1m", "forward", "/weights/resnet50.safetensors", 2, 69.9),
		clothingRun("t", "clothing1m-clean", losses.FirstLoss, "/runs/clothing1m/f1/checkpoints/best.safetensors", 1, 80.3),
		quick, part, reporttest.Result("forward", "none", 0, 1, 97, 97),
	))
	want := `Table 3 of the paper: ResNet-50 on Clothing1M, test accuracy in %

row  loss           init                  training  seeds      selected          last  paper   diff  note
  4  cross-entropy  random                1M            1         68.90         69.40  68.94  -0.04
  5  backward       imagenet              1M            -             -             -  69.13         1 quick, do not quote: make clothing1m
  6  forward        resnet50.safetensors  1M            2  69.85 ± 0.07  70.35 ± 0.07  69.84  +0.01
  7  cross-entropy  resnet50.safetensors  50k           1         75.00         75.50  75.19  -0.19  made up, 5 epochs in place of 10, examples.train 5000
  8  cross-entropy  row 6                 50k           1         80.30         80.80  80.38  -0.08
`
	reporttest.Same(t, "table 3", want, reporttest.Written(t, sheet.WriteText))
}

// Runs of a row in other settings are no further seeds of it, nor later results of the same
// run: they have lines of their own.
func TestTable3KeepsSettingsApart(t *testing.T) {
	row6 := func(id string, seed uint64, accuracy float64) store.Result {
		return clothingRun(id, "clothing1m", "forward", "", seed, accuracy)
	}
	row8 := func(id, from string, seed uint64, accuracy float64) store.Result {
		return clothingRun(id, "clothing1m-clean", losses.FirstLoss, "/runs/"+from+"/checkpoints/best.safetensors", seed, accuracy)
	}
	code, batch, again, noisy, clipped := row6("b", 1, 70), row6("c", 2, 40), row6("d", 1, 10), row6("e", 3, 50), row6("f", 4, 60)
	code.Config.Preset, code.Config.Clip = "code", 1e-7
	batch.Config.BatchSize = 7
	again.Config.BatchSize, again.Finished = 9, "2027-01-01T00:00:00Z"
	noisy.Config.Noise.Kind, noisy.Config.Noise.Level = "symmetric", .2
	clipped.Config.Clip = .01
	// Each seed of row 8 starts from its own run of row 6, in the same settings.
	first, second := row8("g", "a", 1, 80), row8("h", "b", 2, 81)
	sheet := Table3(FromResults(row6("a", 1, 69.9), code, batch, again, noisy, clipped, first, second))
	want := `Table 3 of the paper: ResNet-50 on Clothing1M, test accuracy in %

row  loss                 init      seeds      selected  note
  4  cross-entropy        imagenet      -             -  no run: make clothing1m
  5  backward             imagenet      -             -  no run: make clothing1m
  6  forward              random        1         69.90
  6  forward (clip 0.01)  random        1         60.00
  6  forward              random        1         40.00  batch_size 7
  6  forward              random        1         10.00  batch_size 9
  6  forward              random        1         70.00  preset code
  6  forward              random        1         50.00  symmetric 0.2
  7  cross-entropy        imagenet      -             -  no run: make clothing1m
  8  cross-entropy        row 6         2  80.50 ± 0.71
`
	sheet = selected(sheet, "row", "loss", "init", "seeds", "selected", "note")
	reporttest.Same(t, "table 3", want, reporttest.Written(t, sheet.WriteText))
}

// selected returns some columns of a sheet.
func selected(s *Sheet, names ...string) *Sheet {
	out := &Sheet{Title: s.Title, Rows: make([][]string, len(s.Rows)), Notes: s.Notes}
	for _, name := range names {
		k := slices.Index(s.Names(), name)
		out.Columns = append(out.Columns, s.Columns[k])
		for i, row := range s.Rows {
			out.Rows[i] = append(out.Rows[i], row[k])
		}
	}
	return out
}
