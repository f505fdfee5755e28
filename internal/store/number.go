package store

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/losscorr/losscorr/internal/run/train/metrics"
)

// jsonNumber is a float that JSON keeps even if it is not finite, as "NaN", "+Inf" or
// "-Inf": a diverged loss is a result and must be kept.
type jsonNumber float64

// MarshalJSON writes a number, or a string where JSON has no number.
func (n jsonNumber) MarshalJSON() ([]byte, error) {
	f := float64(n)
	switch {
	case math.IsNaN(f):
		return []byte(`"NaN"`), nil
	case math.IsInf(f, 1):
		return []byte(`"+Inf"`), nil
	case math.IsInf(f, -1):
		return []byte(`"-Inf"`), nil
	}
	return json.Marshal(f)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *jsonNumber) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case `"NaN"`:
		*n = jsonNumber(math.NaN())
	case `"+Inf"`:
		*n = jsonNumber(math.Inf(1))
	case `"-Inf"`:
		*n = jsonNumber(math.Inf(-1))
	default:
		var f float64
		if err := json.Unmarshal(data, &f); err != nil {
			return fmt.Errorf("%s is not a number: %w", data, err)
		}
		*n = jsonNumber(f)
	}
	return nil
}

// jsonEpoch is Epoch with numbers that may be NaN.
type jsonEpoch struct {
	Epoch        int        `json:"epoch"`
	LearningRate jsonNumber `json:"learning_rate"`
	TrainLoss    jsonNumber `json:"train_loss"`
	ValLoss      jsonNumber `json:"val_loss"`
	ValAccuracy  jsonNumber `json:"val_accuracy"`
	TestAccuracy jsonNumber `json:"test_accuracy"`
	Seconds      jsonNumber `json:"seconds"`
}

func encodeEpoch(e metrics.Epoch) jsonEpoch {
	return jsonEpoch{
		Epoch: e.Epoch, LearningRate: jsonNumber(e.LearningRate), TrainLoss: jsonNumber(e.TrainLoss),
		ValLoss: jsonNumber(e.ValLoss), ValAccuracy: jsonNumber(e.ValAccuracy),
		TestAccuracy: jsonNumber(e.TestAccuracy), Seconds: jsonNumber(e.Seconds),
	}
}

func (e jsonEpoch) decode() metrics.Epoch {
	return metrics.Epoch{
		Epoch: e.Epoch, LearningRate: float64(e.LearningRate), TrainLoss: float64(e.TrainLoss),
		ValLoss: float64(e.ValLoss), ValAccuracy: float64(e.ValAccuracy),
		TestAccuracy: float64(e.TestAccuracy), Seconds: float64(e.Seconds),
	}
}

// plainResult and plainTransition have the fields but not the methods, so that
// encoding does not call itself. An outer field hides the embedded one of the
// same JSON name.
type (
	plainResult     Result
	plainTransition TransitionInfo
)

type jsonResult struct {
	plainResult
	Selected jsonEpoch `json:"selected"`
	Last     jsonEpoch `json:"last"`
}

// MarshalJSON writes the result; losses that are not finite become strings.
func (r Result) MarshalJSON() ([]byte, error) {
	return json.Marshal(jsonResult{plainResult(r), encodeEpoch(r.Selected), encodeEpoch(r.Last)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Result) UnmarshalJSON(data []byte) error {
	var j jsonResult
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*r = Result(j.plainResult)
	r.Selected, r.Last = j.Selected.decode(), j.Last.decode()
	return nil
}

type jsonTransition struct {
	plainTransition
	EstimateError jsonNumber `json:"estimate_error,omitempty"`
	LearnedError  jsonNumber `json:"learned_error,omitempty"`
	Condition     jsonNumber `json:"condition"`
}

// MarshalJSON writes the matrices; the condition of a singular one is "+Inf".
func (t TransitionInfo) MarshalJSON() ([]byte, error) {
	return json.Marshal(jsonTransition{plainTransition(t), jsonNumber(t.EstimateError), jsonNumber(t.LearnedError),
		jsonNumber(t.Condition)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *TransitionInfo) UnmarshalJSON(data []byte) error {
	var j jsonTransition
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*t = TransitionInfo(j.plainTransition)
	t.EstimateError, t.LearnedError, t.Condition = float64(j.EstimateError), float64(j.LearnedError), float64(j.Condition)
	return nil
}
