package training

// Epoch holds the metrics of one epoch. Accuracies are percentages. The validation
// labels are noisy, the test labels clean.
type Epoch struct {
	Epoch        int     `json:"epoch"` // 1-based
	LearningRate float64 `json:"learning_rate"`
	TrainLoss    float64 `json:"train_loss"`
	ValLoss      float64 `json:"val_loss"`
	ValAccuracy  float64 `json:"val_accuracy"`
	TestAccuracy float64 `json:"test_accuracy"`
	Seconds      float64 `json:"seconds"`
}
