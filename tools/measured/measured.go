// Package measured holds what the benchmarks of audits have in common: they run losscorr and Python, score
// rankings, and write what they measure as CSV, each record with where it was measured.
package measured

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/losscorr/losscorr/internal/audit"
	"github.com/losscorr/losscorr/internal/store"
)

// Run runs a program. The error has what it wrote to standard error.
func Run(ctx context.Context, program string, arguments ...string) (*os.ProcessState, error) {
	cmd := exec.CommandContext(ctx, program, arguments...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, complaint.String())
	}
	return cmd.ProcessState, nil
}

// Python runs a script, which reads the request and writes the reply, both as JSON.
func Python(ctx context.Context, python, script string, request, reply any) error {
	in, err := json.Marshal(request)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, python, "-c", script)
	var out, complaint bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &complaint
	if err := cmd.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(complaint.String()), "\n")
		return fmt.Errorf("%s: %w: %s", python, err, lines[len(lines)-1])
	}
	if err := json.Unmarshal(out.Bytes(), reply); err != nil {
		return fmt.Errorf("%s answered %.40q: %w", python, out.String(), err)
	}
	return nil
}

// Environment returns where the networks of an audit were trained.
func Environment(folder *audit.Folder) (store.Environment, error) {
	var e store.Environment
	files, err := filepath.Glob(folder.Path(audit.RunsDir, "*", "env.json"))
	if err != nil || len(files) == 0 {
		return e, fmt.Errorf("no networks in %s: %w", folder.Dir(), err)
	}
	data, err := os.ReadFile(files[0])
	if err == nil {
		err = json.Unmarshal(data, &e)
	}
	if e.Revision == "" { // Go notes no revision in a working tree of git's
		out, _ := exec.Command("git", "rev-parse", "HEAD").Output()
		e.Revision = strings.TrimSpace(string(out))
	}
	return e, err
}

// AveragePrecision returns 1/W sum over the W wrong ones of their place among the wrong ones / their place in order.
func AveragePrecision(order []int, wrong []bool) (precision float64) {
	hits := 0.
	for k, x := range order {
		if wrong[x] {
			hits++
			precision += hits / float64(k+1)
		}
	}
	return precision / max(1, hits)
}

// Record writes numbers as the CSV files have them: fractions with four digits.
func Record(values ...any) []string {
	record := make([]string, len(values))
	for k, v := range values {
		if x, ok := v.(float64); ok {
			record[k] = strconv.FormatFloat(x, 'f', 4, 64)
		} else {
			record[k] = fmt.Sprint(v)
		}
	}
	return record
}

// Seconds writes a time for a Record.
func Seconds(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// WriteCSV writes records below a header, each with where and when it was measured.
func WriteCSV(path string, e store.Environment, header []string, records [][]string) error {
	all := [][]string{append(header, "date", "version", "revision", "modified", "cpu", "cores", "libtorch")}
	for _, r := range records {
		where := Record(time.Now().UTC().Format(time.DateOnly), e.Program, e.Revision, e.Modified, e.CPU.Model, e.CPU.Cores, e.Libtorch["version"])
		all = append(all, slices.Concat(r, where))
	}
	return WritePlain(path, all)
}

// WritePlain writes records as they are.
func WritePlain(path string, records [][]string) error {
	var text bytes.Buffer
	if err := csv.NewWriter(&text).WriteAll(records); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o666)
}

// ReadCSV reads columns of a file, without its header.
func ReadCSV(path string, columns ...string) ([][]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	records, err := csv.NewReader(file).ReadAll()
	if err == nil && len(records) == 0 {
		err = errors.New("it has no lines")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var places []int
	for _, name := range columns {
		at := slices.Index(records[0], name)
		if at < 0 {
			return nil, fmt.Errorf("%s: no column %s", path, name)
		}
		places = append(places, at)
	}
	var rows [][]string
	for _, record := range records[1:] {
		row := make([]string, len(places))
		for k, at := range places {
			row[k] = record[at]
		}
		rows = append(rows, row)
	}
	return rows, nil
}
