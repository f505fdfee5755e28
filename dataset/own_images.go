package dataset

import (
	"context"
	"errors"
)

func openOwnImages(ctx context.Context, s Source, opt Options) (*Dataset, error) {
	return nil, errors.New("folders of images cannot be read yet")
}

func originalImages(ctx context.Context, s Source, rows []int) ([]Original, error) {
	return nil, errors.New("folders of images cannot be read yet")
}
