package config

import (
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Config is one run, fully resolved: preset, YAML files and overrides merged.
// Running the same Config again reproduces the run.
type Config struct {
	Dataset       string     `yaml:"dataset" json:"dataset" cost:"epoch"`                                      // what is learned
	Model         string     `yaml:"model" json:"model" cost:"epoch"`                                          // the network, or a file FILE.pt2 of torch.export.save; by default the data set's first
	Preset        string     `yaml:"preset" json:"preset"`                                                     // defaults of the settings that are left out: of the paper's text, of its code, or ours
	Loss          string     `yaml:"loss" json:"loss" scope:"cell"`                                            // the estimated losses estimate T from the cross-entropy run of the same settings
	Noise         Noise      `yaml:"noise" json:"noise" scope:"cell"`                                          // how labels are corrupted
	Seed          uint64     `yaml:"seed" json:"seed" scope:"cell"`                                            // decides the noise, the split, the initial weights, the order of batches and dropout
	Quick         bool       `yaml:"quick,omitempty" json:"quick,omitempty"`                                   // a scaled-down run; its results are marked
	Source        own.Source `yaml:"source,omitempty" json:"source,omitzero" cost:"epoch"`                     // where a user's own data is, for dataset own
	Folds         Folds      `yaml:"folds,omitempty" json:"folds,omitzero" cost:"epoch"`                       // one part of the training set is left out of training and judged by the network
	Examples      Examples   `yaml:"examples,omitempty" json:"examples,omitzero" cost:"epoch"`                 // how much of the data is used
	Preprocessing string     `yaml:"preprocessing" json:"preprocessing" cost:"epoch"`                          // how examples become the network's input
	Augment       string     `yaml:"augment" json:"augment" cost:"epoch"`                                      // of training images
	Epochs        int        `yaml:"epochs" json:"epochs"`                                                     // passes over the training set
	WarmupEpochs  int        `yaml:"warmup_epochs,omitempty" json:"warmup_epochs,omitempty"`                   // epochs at the start that train with cross-entropy
	StepsPerEpoch int        `yaml:"steps_per_epoch" json:"steps_per_epoch,omitempty" cost:"epoch"`            // batches per epoch; 0: one pass
	BatchSize     int        `yaml:"batch_size" json:"batch_size" cost:"epoch"`                                // examples per training step
	Validation    Holdout    `yaml:"validation" json:"validation"`                                             // the part of the noisy training set that selects the epoch
	Optimizer     Optimizer  `yaml:"optimizer" json:"optimizer"`                                               // the update rule and its constants
	Precision     string     `yaml:"precision" json:"precision,omitempty" usual:"float32" cost:"epoch"`        // dtype in which the network is computed; weights, loss and optimizer stay in float32
	Dropout       float64    `yaml:"dropout" json:"dropout"`                                                   // probability that a unit is dropped
	Init          string     `yaml:"init" json:"init"`                                                         // initialiser of the weights
	InitOutput    string     `yaml:"init_output,omitempty" json:"init_output,omitempty"`                       // initialiser of the last layer, which no ReLU follows; empty: that of init
	Weights       string     `yaml:"weights,omitempty" json:"weights,omitempty" path:"yes"`                    // safetensors file that the network starts from
	Hidden        []int      `yaml:"hidden,omitempty" json:"hidden,omitempty" cost:"epoch"`                    // widths of the hidden layers of a fully connected network; empty: 128, 128
	EmbeddingDim  int        `yaml:"embedding_dim" json:"embedding_dim,omitempty" cost:"epoch"`                // width of word vectors
	DropoutUnits  string     `yaml:"dropout_units,omitempty" json:"dropout_units,omitempty" cost:"epoch"`      // what dropout drops from word vectors
	Clip          float64    `yaml:"clip" json:"clip" scope:"loss"`                                            // probabilities are clipped to [clip, 1-clip] in the loss; 0 = log space, no clip
	Estimator     Estimator  `yaml:"estimator" json:"estimator" scope:"loss"`                                  // how T-hat is estimated from the cross-entropy run
	Trusted       string     `yaml:"trusted,omitempty" json:"trusted,omitempty" scope:"loss" path:"yes"`       // known labels, which name the rows of T-hat: a number to draw per class, random:N to draw of all examples, or a CSV file; empty: none
	Transition    string     `yaml:"transition,omitempty" json:"transition,omitempty" scope:"loss" path:"yes"` // CSV of T for forward and backward; empty: the T that made the noise
	Targets       string     `yaml:"targets,omitempty" json:"targets,omitempty" scope:"loss" path:"yes"`       // NPY [N C] of a distribution of classes for each training example, or likelihoods of them, for the losses that train on it; an example of zeros is left out
	Corrected     string     `yaml:"corrected,omitempty" json:"corrected,omitempty" scope:"loss" path:"yes"`   // CSV of index and label, the training examples whose given label is wrong by an audit and the labels that are trained on, for losses that use no T

	LossSettings losses.Settings `yaml:"loss_settings,omitempty" json:"loss_settings,omitzero" scope:"loss"` // constants in the formula of the loss; 0: its own default

	Note string `yaml:"note,omitempty" json:"note,omitempty" scope:"shown"` // what readers of the results have to know; not part of the run's identity

	// The settings below say where and how a run is computed. They are not part of
	// its identity.

	Data    string `yaml:"data,omitempty" json:"data,omitempty" scope:"where" path:"yes"` // folder of the data sets
	Device  string `yaml:"device,omitempty" json:"device,omitempty" scope:"where"`        // cpu, cuda, cuda:1
	Workers int    `yaml:"workers,omitempty" json:"workers,omitempty" scope:"where"`      // runs at a time; 0: one per core

	TF32          string `yaml:"tf32,omitempty" json:"tf32,omitempty" scope:"where"`                   // which operations of a GPU may use TF32, operands rounded to 10 bits of mantissa; empty: cudnn
	Deterministic bool   `yaml:"deterministic,omitempty" json:"deterministic,omitempty" scope:"where"` // on a GPU, only operations that give the same bits each time
	Record        string `yaml:"record,omitempty" json:"record,omitempty" scope:"where"`               // whether a GPU records a training step and repeats it with one launch; empty: auto
}

// Noise says how labels are corrupted.
type Noise struct {
	Kind   string  `yaml:"kind" json:"kind"`                                // how labels are flipped
	Level  float64 `yaml:"level" json:"level"`                              // N of the paper, in [0, 1)
	File   string  `yaml:"file,omitempty" json:"file,omitempty" path:"yes"` // CSV of T, for kind matrix
	Groups string  `yaml:"groups,omitempty" json:"groups,omitempty"`        // groups of classes within which asymmetric noise flips, for data whose classes have groups
}

// Examples bounds how much of the data is used, from a random order of the
// run's seed; 0 is all.
type Examples struct {
	Train      int `yaml:"train,omitempty" json:"train,omitempty"`           // of the training set, validation included
	Test       int `yaml:"test,omitempty" json:"test,omitempty"`             // of the test set
	Validation int `yaml:"validation,omitempty" json:"validation,omitempty"` // of a validation set that comes with the data
	Words      int `yaml:"words,omitempty" json:"words,omitempty"`           // of each review, its last words
}

// Folds divides the training set into parts of equal size, each with about the same
// share of every class. Examples of one group stay in one part.
type Folds struct {
	Count int `yaml:"count,omitempty" json:"count,omitempty"` // number of parts; 0: the whole set is trained on
	Out   int `yaml:"out,omitempty" json:"out,omitempty"`     // the part that is left out, from 1
}

// Holdout is the share of the noisy training set kept for validation.
type Holdout struct {
	Share   float64 `yaml:"share" json:"share" cost:"epoch"`  // of the training set
	From    string  `yaml:"from" json:"from"`                 // which part of the random order
	Penalty bool    `yaml:"penalty" json:"penalty,omitempty"` // the validation loss, which selects the epoch, includes the weight-decay term
}

// Optimizer names an update rule and its constants.
type Optimizer struct {
	Name         string  `yaml:"name" json:"name" cost:"epoch"`                              // the update rule
	LearningRate float64 `yaml:"learning_rate" json:"learning_rate"`                         // of the first epoch
	Epsilon      float64 `yaml:"epsilon" json:"epsilon,omitempty"`                           // in the denominator of adagrad and adam
	Momentum     float64 `yaml:"momentum" json:"momentum,omitempty"`                         // of sgd
	WeightDecay  float64 `yaml:"weight_decay" json:"weight_decay,omitempty"`                 // L2 penalty, as a term of the gradient
	Schedule     string  `yaml:"schedule,omitempty" json:"schedule,omitempty" usual:"steps"` // of the rate; empty: steps, at the milestones
	Milestones   []int   `yaml:"milestones" json:"milestones,omitempty"`                     // 0-based epochs at which the rate is divided by 10
}

// Estimator says how T-hat is estimated from a network trained on noisy labels.
type Estimator struct {
	Name     string  `yaml:"name" json:"name"`                                          // the estimator
	Quantile float64 `yaml:"quantile" json:"quantile,omitempty"`                        // percentile: .97
	Kappa    float64 `yaml:"kappa" json:"kappa,omitempty"`                              // class-quantile, also where it checks another estimator: .3
	Average  int     `yaml:"average" json:"average,omitempty"`                          // class-quantile, likewise: number of nearest rows that are averaged
	Sample   string  `yaml:"sample,omitempty" json:"sample,omitempty" usual:"training"` // examples from which T-hat is read, X' of Section 4.3; empty: training
}
