package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/losscorr/losscorr/report/reporttest"

	"github.com/losscorr/losscorr/correction"
	"github.com/losscorr/losscorr/store"
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
	part := clothingRun("p", "clothing1m-clean", correction.FirstLoss, "/weights/resnet50.safetensors", 1, 75)
	part.Config.Examples.Train, part.Config.Epochs, part.DataVariant = 5000, 5, "made up"
	sheet := Table3(FromResults(
		clothingRun("ce", "clothing1m", correction.FirstLoss, "", 1, 68.9),
		clothingRun("f1", "clothing1m", "forward", "/weights/resnet50.safetensors", 1, 69.8),
		clothingRun("f2", "clothing1m", "forward", "/weights/resnet50.safetensors", 2, 69.9),
		clothingRun("t", "clothing1m-clean", correction.FirstLoss, "/runs/clothing1m/f1/checkpoints/best.safetensors", 1, 80.3),
		quick, part, reporttest.Result("forward", "none", 0, 1, 97, 97),
	))
	var b strings.Builder
	if err := sheet.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := `Table 3 of the paper: ResNet-50 on Clothing1M, test accuracy in %

row  loss           init                  training  seeds      selected          last  paper   diff  note
  4  cross-entropy  random                1M            1         68.90         69.40  68.94  -0.04
  5  backward       imagenet              1M            -             -             -  69.13         1 quick, do not quote: make clothing1m
  6  forward        resnet50.safetensors  1M            2  69.85 ± 0.07  70.35 ± 0.07  69.84  +0.01
  7  cross-entropy  resnet50.safetensors  50k           1         75.00         75.50  75.19  -0.19  made up, 5 epochs in place of 10, examples.train 5000
  8  cross-entropy  row 6                 50k           1         80.30         80.80  80.38  -0.08
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("table 3 (-want +got):\n%s", diff)
	}
}
