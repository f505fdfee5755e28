package auditbench

import (
	"fmt"
	"strconv"
	"time"
)

// Row compares the ranking of an audit with cleanlab's. A value that was not measured
// is 0.
type Row struct {
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

// save writes the rows as CSV, each with where it was measured.
func (b *bench) save() error {
	if b.Out == "" {
		return nil
	}
	number := func(v float64) string {
		if v == 0 {
			return ""
		}
		return strconv.FormatFloat(v, 'f', 4, 64)
	}
	e := b.environment
	records := [][]string{{
		"data", "noise", "examples", "wrong", "average_precision", "deviation", "target", "f1", "expected_over_true", "corrected", "seconds", "peak_mib",
		"first_stage_average_precision", "first_stage_f1", "cleanlab_average_precision", "cleanlab_score", "cleanlab_self_confidence", "cleanlab_f1",
		"seed", "date", "version", "revision", "modified", "cpu", "cores", "libtorch", "cleanlab",
	}}
	for _, r := range b.rows {
		records = append(records, []string{
			r.Data, r.Noise, strconv.Itoa(r.Examples), strconv.Itoa(r.Wrong), number(r.AveragePrecision), number(r.Deviation), number(r.Target), number(r.F1),
			number(r.Expected), number(r.Corrected), fmt.Sprintf("%.1f", r.Seconds), strconv.FormatInt(r.PeakMiB, 10),
			number(r.FirstStage), number(r.FirstStageF1), number(r.Cleanlab), r.CleanlabScore, number(r.SelfConfidence), number(r.CleanlabF1),
			strconv.Itoa(seed), time.Now().UTC().Format(time.DateOnly), e.Program, e.Revision, strconv.FormatBool(e.Modified), e.CPU.Model,
			strconv.Itoa(e.CPU.Cores), e.Libtorch["version"], b.python.Version,
		})
	}
	return writeCSV(b.Out, records)
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
