package correction

// Interval holds an estimated value with a probability of 90 % under the model of the estimate.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}
