package annotatorsbench

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/losscorr/losscorr/tools/measured"
)

// The columns of the files of the figures.
var (
	consensusHeader = []string{
		"data", "method", "answers", "wrong_answers", "consensus_right", "ap_wrong_answers", "ap_wrong_consensus", "expected_over_true", "network_right", "seconds",
	}
	trainHeader  = []string{"data", "labels", "draw", "train_examples", "test_examples", "accuracy"}
	checksHeader = []string{"data", "labels", "wrong", "checks", "repeated", "model_over_true", "checks_over_true", "within_.8_to_1.25", "covered", "half_width_over_true", "off_over_true"}
	askHeader    = []string{"data", "rule", "draw", "bought", "answers", "consensus_right", "majority_right"}
)

// save writes the figures as CSV, each with where it was measured.
func (b *bench) save() error {
	if b.Out == "" {
		return nil
	}
	if err := os.MkdirAll(b.Out, 0o777); err != nil {
		return err
	}
	for _, file := range []struct {
		name    string
		header  []string
		records [][]string
	}{
		{"benchmark.csv", consensusHeader, b.consensusRecords()}, {"ask.csv", askHeader, b.asked},
		{"train.csv", trainHeader, b.trained}, {"checks.csv", checksHeader, b.checks},
	} {
		if len(file.records) == 0 {
			continue // this part was left out
		}
		for k, r := range file.records {
			file.records[k] = append(r, b.python.Cleanlab, b.python.CrowdKit)
		}
		if err := measured.WriteCSV(filepath.Join(b.Out, file.name), b.machine, append(slices.Clone(file.header), "cleanlab", "crowdkit"), file.records); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) consensusRecords() (records [][]string) {
	for _, r := range b.rows {
		var expected, network any = "", ""
		if r.calibrated {
			expected = r.Expected
		}
		if r.posterior > 0 {
			network = r.posterior
		}
		records = append(records, measured.Record(r.data, r.method, r.answers, r.wrong, r.Right, r.WrongAnswers, r.WrongConsensus, expected, network, measured.Seconds(r.seconds)))
	}
	return records
}
