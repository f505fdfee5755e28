package own

import (
	"context"
	"errors"

	"github.com/losscorr/losscorr/internal/dataset"
)

// labelStorage is a file of labels without examples, which are enough where somebody else's model has
// seen the examples.
type labelStorage struct{}

func (labelStorage) stored(Source) (dataset.Kind, error) { return dataset.Image, nil }

func (labelStorage) open(_ context.Context, s Source, _ dataset.Options) (*dataset.Dataset, error) {
	t, err := readLabelTable(s.Labels, s)
	if err != nil {
		return nil, err
	}
	t.number(len(t.labels))
	d := &dataset.Dataset{}
	if _, _, err = t.describe(d, nil, s); err != nil {
		return nil, err
	}
	return d, s.hash(d)
}

func (labelStorage) names(context.Context, Source) ([]string, error) { return nil, errNoExamples }

func (labelStorage) originals(context.Context, Source, []string, func([]int, Original) error) error {
	return nil
}

func (labelStorage) sums(context.Context, Source, []string) ([]uint64, error) { return nil, nil }

func (labelStorage) byRow(Source) bool { return false }

func (labelStorage) read(*newExamples, []string, dataset.Options) ([]dataset.Skipped, error) {
	return nil, errNoExamples
}

var errNoExamples = errors.New("there are labels alone: where are the examples?")
