package audit

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/losscorr/losscorr/dataset"
	"github.com/losscorr/losscorr/store"
)

// ReadTrusted reads labels that people have checked, by the names of the examples: a
// decisions.csv, or a table with the columns id and label.
func ReadTrusted(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: trusted labels: %w", store.ErrData, err)
	}
	first, _ := bufio.NewReader(file).ReadString('\n')
	file.Close()
	if strings.TrimRight(first, "\r\n") == strings.Join(decisionsHeader, ",") {
		list, err := ReadDecisions(path)
		return TrustedLabels(list), err
	}
	labels, err := dataset.ReadLabels(path)
	if err != nil {
		return nil, fmt.Errorf("%w: trusted labels: %w", store.ErrData, err)
	}
	return labels, nil
}
