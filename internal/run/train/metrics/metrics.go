// Package metrics has what is measured in training. It stands alone, so that what reads the
// metrics of a run needs no tensors.
package metrics

// Epoch holds the metrics of one epoch.
type Epoch struct {
	Epoch        int     `json:"epoch"` // from 1
	LearningRate float64 `json:"learning_rate"`
	TrainLoss    float64 `json:"train_loss"` // mean over the epoch's batches, each with the weights at its time
	// on the noisy validation set, or cross-entropy on one of true labels; the lowest one selects the epoch
	ValLoss      float64 `json:"val_loss"`
	ValAccuracy  float64 `json:"val_accuracy"`  // percent, against noisy labels
	TestAccuracy float64 `json:"test_accuracy"` // percent, against clean labels
	Seconds      float64 `json:"seconds"`       // wall time of training and evaluation
}
