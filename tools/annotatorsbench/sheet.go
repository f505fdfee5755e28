package annotatorsbench

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// sheet is the records of a CSV file.
type sheet struct {
	header  []string
	records [][]string
}

func (s *sheet) add(record ...string) { s.records = append(s.records, record) }

// The files of the figures, and their columns but for those that say where they were measured.
const (
	consensusFile = "benchmark.csv"
	askFile       = "ask.csv"
	trainFile     = "train.csv"
	checksFile    = "checks.csv"
)

var (
	consensusHeader = []string{
		"data", "method", "answers", "wrong_answers", "consensus_right", "ap_wrong_answers", "ap_wrong_consensus", "expected_over_true", "network_right", "seconds",
	}
	trainHeader  = []string{"data", "labels", "draw", "train_examples", "test_examples", "accuracy"}
	checksHeader = []string{"data", "labels", "wrong", "checks", "repeated", "model_over_true", "checks_over_true", "within_.8_to_1.25", "covered", "half_width_over_true", "off_over_true"}
	askHeader    = []string{"data", "rule", "draw", "bought", "answers", "consensus_right", "majority_right"}
)

func figure(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

// save writes the figures as CSV, each with where it was measured.
func (b *bench) save() error {
	if b.Out == "" {
		return nil
	}
	if err := os.MkdirAll(b.Out, 0o777); err != nil {
		return err
	}
	for name, s := range map[string]sheet{
		consensusFile: {consensusHeader, b.consensusRecords()}, askFile: {askHeader, b.asked.records},
		trainFile: {trainHeader, b.trainRecords()}, checksFile: {checksHeader, b.checksRecords()},
	} {
		if len(s.records) == 0 {
			continue // this part was left out
		}
		if err := b.write(filepath.Join(b.Out, name), s); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) consensusRecords() (records [][]string) {
	number := func(v float64, there bool) string {
		if !there {
			return ""
		}
		return figure(v)
	}
	for _, r := range b.rows {
		records = append(records, []string{
			r.data, r.method, strconv.Itoa(r.answers), figure(r.wrong), figure(r.Right), figure(r.WrongAnswers), figure(r.WrongConsensus),
			number(r.Expected, r.calibrated), number(r.posterior, r.posterior > 0), strconv.FormatFloat(r.seconds, 'f', 1, 64),
		})
	}
	return records
}

func (b *bench) trainRecords() (records [][]string) {
	for _, r := range b.trained {
		records = append(records, []string{
			r.data, r.labels, strconv.FormatUint(r.draw, 10), strconv.Itoa(r.train), strconv.Itoa(r.test), strconv.FormatFloat(r.accuracy, 'f', 3, 64),
		})
	}
	return records
}

func (b *bench) checksRecords() (records [][]string) {
	for _, r := range b.checks {
		truth := float64(r.wrong)
		records = append(records, []string{
			r.data, strconv.Itoa(r.labels), strconv.Itoa(r.wrong), strconv.Itoa(randomChecks), strconv.Itoa(repeated),
			figure(r.model / truth), figure(r.mean / truth), figure(r.within), figure(r.covered), figure(r.width), figure(r.off),
		})
	}
	return records
}

func (b *bench) write(path string, s sheet) error {
	e := b.machine
	records := [][]string{append(append([]string{}, s.header...), "date", "version", "revision", "modified", "cpu", "cores", "libtorch", "cleanlab", "crowdkit")}
	for _, r := range s.records {
		records = append(records, append(append([]string{}, r...),
			time.Now().UTC().Format(time.DateOnly), e.Program, e.Revision, strconv.FormatBool(e.Modified), e.CPU.Model, strconv.Itoa(e.CPU.Cores), e.Libtorch["version"],
			b.python.Cleanlab, b.python.CrowdKit))
	}
	return writeCSV(path, records)
}

func writeCSV(path string, records [][]string) error {
	var text bytes.Buffer
	if err := csv.NewWriter(&text).WriteAll(records); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o666)
}
