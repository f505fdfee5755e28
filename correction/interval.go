package correction

// Interval is a range that holds an estimated value with a probability of 90 %, under the model
// that its estimate assumes.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}
