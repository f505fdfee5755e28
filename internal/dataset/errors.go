package dataset

import (
	"errors"
	"fmt"
)

// ErrData is wrapped by every error in a user's data: a missing or damaged file, or files that
// do not match. [Errorf] makes such errors.
var ErrData = errors.New("bad data")

// Errorf is fmt.Errorf for errors that also wrap ErrData.
func Errorf(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrData, fmt.Errorf(format, args...))
}
