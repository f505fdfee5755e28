package metrics

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Number is a float that survives JSON even if it is not finite, as "NaN", "+Inf" or "-Inf": a diverged loss is a
// result.
type Number float64

// MarshalJSON encodes a number, as a string if it is not finite.
func (n Number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return json.Marshal(strconv.FormatFloat(f, 'g', -1, 64))
	}
	return json.Marshal(f)
}

// UnmarshalJSON decodes the output of MarshalJSON.
func (n *Number) UnmarshalJSON(data []byte) error {
	f, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	if err != nil {
		return fmt.Errorf("%s is not a number: %w", data, err)
	}
	*n = Number(f)
	return nil
}
