package auditbench

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/tools/measured"
)

// comparison compares the ranking of an audit with cleanlab's. A value that was not measured
// is 0.
type comparison struct {
	Data, Noise      string
	Examples, Wrong  int     // judged, and of them wrong
	AveragePrecision float64 // of the ranking
	Target           float64 // of AveragePrecision
	Deviation        float64 // of AveragePrecision over random orders of the rows, where it is their mean
	F1               float64 // at p_wrong above .5
	Expected         float64 // number of wrong labels, as a multiple of the true one
	Corrected        float64 // share of the wrong labels whose suggestion is right
	Seconds          float64
	PeakMiB          int64

	FirstStage   float64 // average precision of losscorr's ranking by the posteriors that cleanlab has
	FirstStageF1 float64

	Cleanlab       float64 // average precision of its best score
	CleanlabScore  string  // the best one
	SelfConfidence float64 // average precision of its default score
	CleanlabF1     float64 // of find_label_issues
}

// save writes records as CSV, each with where it was measured.
func (b *bench) save(header []string, records [][]string) error {
	if b.Out == "" {
		return nil
	}
	seeded := make([][]string, len(records))
	for k, r := range records {
		seeded[k] = slices.Concat(r, []string{strconv.Itoa(seed)})
	}
	return measured.WriteCSV(b.Out, b.environment, append(header, "seed"), seeded)
}

// saveComparisons writes the rows that compare rankings.
func (b *bench) saveComparisons() error {
	var records [][]string
	for _, r := range b.rows {
		record := measured.Record(r.AveragePrecision, r.Deviation, r.Target, r.F1, r.Expected, r.Corrected, r.FirstStage, r.FirstStageF1, r.Cleanlab, r.SelfConfidence, r.CleanlabF1)
		for k, text := range record {
			if text == "0.0000" {
				record[k] = ""
			}
		}
		records = append(records, append(measured.Record(r.Data, r.Noise, r.Examples, r.Wrong, measured.Seconds(r.Seconds), r.PeakMiB, r.CleanlabScore, b.python.Version), record...))
	}
	return b.save([]string{"data", "noise", "examples", "wrong", "seconds", "peak_mib", "cleanlab_score", "cleanlab",
		"average_precision", "deviation", "target", "f1", "expected_over_true", "corrected",
		"first_stage_average_precision", "first_stage_f1", "cleanlab_average_precision", "cleanlab_self_confidence", "cleanlab_f1"}, records)
}

// table prints the rows in Markdown.
func (b *bench) table() error {
	if len(b.rows) == 0 {
		return nil
	}
	fmt.Fprintln(b.out, "| data, noise | average precision | from the first networks alone | cleanlab's best score (its default) | F1 | from the first networks alone | find_label_issues | expected/true | time |")
	fmt.Fprintln(b.out, "|:---|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, r := range b.rows {
		cell := func(format string, v float64) string {
			if v == 0 {
				return ""
			}
			return fmt.Sprintf(format, v)
		}
		beside := cell("%.3f", r.Cleanlab)
		if beside != "" {
			beside += fmt.Sprintf(" (%.3f)", r.SelfConfidence)
		}
		own := fmt.Sprintf("%.3f", r.AveragePrecision) + cell(" ± %.3f", r.Deviation)
		_, err := fmt.Fprintf(b.out, "| %s, %s | %s | %s | %s | %s | %s | %s | %s | %.0f s |\n", r.Data, r.Noise, own, cell("%.3f", r.FirstStage),
			beside, cell("%.3f", r.F1), cell("%.3f", r.FirstStageF1), cell("%.3f", r.CleanlabF1), cell("%.2f", r.Expected), r.Seconds)
		if err != nil {
			return err
		}
	}
	return nil
}
