package store

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/losscorr/losscorr/internal/expect"
	"github.com/losscorr/losscorr/internal/run/train/metrics"
)

// A run's numbers come back from JSON as written, including NaN and infinity.
func TestNumbersComeBack(t *testing.T) {
	nan, inf := metrics.Number(math.NaN()), metrics.Number(math.Inf(1))
	for _, want := range []TransitionInfo{
		{Classes: []string{"a"}, EstimateError: .25, LearnedError: .5, Condition: 3},
		{EstimateError: nan, LearnedError: 1, Condition: inf},
		{EstimateError: 1, LearnedError: nan, Condition: -inf},
	} {
		roundTrip(t, want)
	}
	epoch := metrics.Epoch{Epoch: 1, LearningRate: 2, TrainLoss: 3, ValLoss: 4, ValAccuracy: 5, TestAccuracy: 6,
		Seconds: 7}
	roundTrip(t, Result{Selected: epoch, Last: metrics.Epoch{Epoch: 2, TrainLoss: math.NaN(), ValLoss: math.Inf(1)}})
}

func roundTrip[T any](t *testing.T, want T) {
	t.Helper()
	text := expect.Got(json.Marshal(want))(t)
	var got T
	expect.OK(t, json.Unmarshal(text, &got))
	expect.Same(t, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got), string(text)) // NaN != NaN, so compare text
}
