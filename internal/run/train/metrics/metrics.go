// Package metrics holds the measurements of training. It is separate, so that readers of a run's metrics need no
// tensors.
package metrics

import "encoding/json"

// Epoch holds the metrics of one epoch.
type Epoch struct {
	Epoch        int     `json:"epoch"` // from 1
	LearningRate float64 `json:"learning_rate"`
	TrainLoss    float64 `json:"train_loss"` // mean over the epoch's batches, with the weights at the time
	// ValLoss is on the noisy validation set, or is cross-entropy on one with true labels; the lowest one selects the
	// epoch.
	ValLoss      float64 `json:"val_loss"`
	ValAccuracy  float64 `json:"val_accuracy"`  // percent, against noisy labels
	TestAccuracy float64 `json:"test_accuracy"` // percent, against clean labels
	Seconds      float64 `json:"seconds"`       // wall time of training and evaluation
}

// encoded is Epoch as JSON.
type encoded struct {
	Epoch        int    `json:"epoch"`
	LearningRate Number `json:"learning_rate"`
	TrainLoss    Number `json:"train_loss"`
	ValLoss      Number `json:"val_loss"`
	ValAccuracy  Number `json:"val_accuracy"`
	TestAccuracy Number `json:"test_accuracy"`
	Seconds      Number `json:"seconds"`
}

// MarshalJSON encodes the epoch; losses that are not finite become strings.
func (e Epoch) MarshalJSON() ([]byte, error) {
	return json.Marshal(encoded{e.Epoch, Number(e.LearningRate), Number(e.TrainLoss), Number(e.ValLoss),
		Number(e.ValAccuracy), Number(e.TestAccuracy), Number(e.Seconds)})
}

// UnmarshalJSON decodes the output of MarshalJSON.
func (e *Epoch) UnmarshalJSON(data []byte) error {
	var n encoded
	err := json.Unmarshal(data, &n)
	*e = Epoch{n.Epoch, float64(n.LearningRate), float64(n.TrainLoss), float64(n.ValLoss), float64(n.ValAccuracy),
		float64(n.TestAccuracy), float64(n.Seconds)}
	return err
}
