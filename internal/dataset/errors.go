package dataset

import (
	"errors"
	"fmt"
)

// ErrData is wrapped by each error of the data of a user: a file that is missing or damaged, or
// that does not fit the others. [Errorf] makes them.
var ErrData = errors.New("bad data")

// Errorf is fmt.Errorf for an error that is ErrData, too.
func Errorf(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrData, fmt.Errorf(format, args...))
}
