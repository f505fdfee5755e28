package config

import (
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Config is one run, fully resolved: preset, YAML files and overrides merged.
// Running the same Config again reproduces the run.
type Config struct {
	// what is learned
	Dataset string `yaml:"dataset" json:"dataset" cost:"epoch"`
	// the network, or a file FILE.pt2 of torch.export.save; by default the data set's first
	Model string `yaml:"model" json:"model" cost:"epoch"`
	// defaults of the settings that are left out: of the paper's text, of its code, or ours
	Preset string `yaml:"preset" json:"preset"`
	// the estimated losses estimate T from the cross-entropy run of the same settings
	Loss string `yaml:"loss" json:"loss" scope:"cell"`
	// how labels are corrupted
	Noise Noise `yaml:"noise" json:"noise" scope:"cell"`
	// decides the noise, the split, the initial weights, the order of batches and dropout
	Seed uint64 `yaml:"seed" json:"seed" scope:"cell"`
	// a scaled-down run; its results are marked
	Quick bool `yaml:"quick,omitempty" json:"quick,omitempty"`
	// where a user's own data is, for dataset own
	Source own.Source `yaml:"source,omitempty" json:"source,omitzero" cost:"epoch"`
	// one part of the training set is left out of training and judged by the network
	Folds Folds `yaml:"folds,omitempty" json:"folds,omitzero" cost:"epoch"`
	// how much of the data is used
	Examples Examples `yaml:"examples,omitempty" json:"examples,omitzero" cost:"epoch"`
	// how examples become the network's input
	Preprocessing string `yaml:"preprocessing" json:"preprocessing" cost:"epoch"`
	// of training images
	Augment string `yaml:"augment" json:"augment" cost:"epoch"`
	// passes over the training set
	Epochs int `yaml:"epochs" json:"epochs"`
	// epochs at the start that train with cross-entropy
	WarmupEpochs int `yaml:"warmup_epochs,omitempty" json:"warmup_epochs,omitempty"`
	// batches per epoch; 0: one pass
	StepsPerEpoch int `yaml:"steps_per_epoch" json:"steps_per_epoch,omitempty" cost:"epoch"`
	// examples per training step
	BatchSize int `yaml:"batch_size" json:"batch_size" cost:"epoch"`
	// the part of the noisy training set that selects the epoch
	Validation Holdout `yaml:"validation" json:"validation"`
	// the update rule and its constants
	Optimizer Optimizer `yaml:"optimizer" json:"optimizer"`
	// dtype of the network's computations; weights, loss and optimizer stay in float32
	Precision string `yaml:"precision" json:"precision,omitempty" usual:"float32" cost:"epoch"`
	// probability that a unit is dropped
	Dropout float64 `yaml:"dropout" json:"dropout"`
	// initialiser of the weights
	Init string `yaml:"init" json:"init"`
	// initialiser of the last layer, which no ReLU follows; empty: that of init
	InitOutput string `yaml:"init_output,omitempty" json:"init_output,omitempty"`
	// safetensors file that the network starts from
	Weights string `yaml:"weights,omitempty" json:"weights,omitempty" path:"yes"`
	// widths of the hidden layers of a fully connected network; empty: 128, 128
	Hidden []int `yaml:"hidden,omitempty" json:"hidden,omitempty" cost:"epoch"`
	// width of word vectors
	EmbeddingDim int `yaml:"embedding_dim" json:"embedding_dim,omitempty" cost:"epoch"`
	// what dropout drops from word vectors
	DropoutUnits string `yaml:"dropout_units,omitempty" json:"dropout_units,omitempty" cost:"epoch"`
	// probabilities are clipped to [clip, 1-clip] in the loss; 0 = log space, no clip
	Clip float64 `yaml:"clip" json:"clip" scope:"loss"`
	// how T-hat is estimated from the cross-entropy run
	Estimator Estimator `yaml:"estimator" json:"estimator" scope:"loss"`
	// known labels, which name the rows of T-hat: a number to draw per class, random:N to draw of all examples, or a CSV
	// file; empty: none
	Trusted string `yaml:"trusted,omitempty" json:"trusted,omitempty" scope:"loss" path:"yes"`
	// CSV of T for forward and backward; empty: the T that made the noise
	Transition string `yaml:"transition,omitempty" json:"transition,omitempty" scope:"loss" path:"yes"`
	// NPY [N C] of a distribution of classes for each training example, or likelihoods of them, for the losses that train
	// on it; an example of zeros is left out
	Targets string `yaml:"targets,omitempty" json:"targets,omitempty" scope:"loss" path:"yes"`
	// CSV of index and label, the training examples whose given label is wrong by an audit and the labels that are trained
	// on, for losses that use no T
	Corrected string `yaml:"corrected,omitempty" json:"corrected,omitempty" scope:"loss" path:"yes"`

	// constants in the formula of the loss; 0: its own default
	LossSettings losses.Settings `yaml:"loss_settings,omitempty" json:"loss_settings,omitzero" scope:"loss"`

	// what readers of the results have to know; not part of the run's identity
	Note string `yaml:"note,omitempty" json:"note,omitempty" scope:"shown"`

	// The settings below say where and how a run is computed. They are not part of
	// its identity.

	Data   string `yaml:"data,omitempty" json:"data,omitempty" scope:"where" path:"yes"` // folder of the data sets
	Device string `yaml:"device,omitempty" json:"device,omitempty" scope:"where"`        // cpu, cuda, cuda:1
	// runs at a time; 0: one per core
	Workers int `yaml:"workers,omitempty" json:"workers,omitempty" scope:"where"`

	// which operations of a GPU may use TF32, operands rounded to 10 bits of mantissa; empty: cudnn
	TF32 string `yaml:"tf32,omitempty" json:"tf32,omitempty" scope:"where"`
	// on a GPU, only operations that give the same bits each time
	Deterministic bool `yaml:"deterministic,omitempty" json:"deterministic,omitempty" scope:"where"`
	// whether a GPU records a training step and repeats it with one launch; empty: auto
	Record string `yaml:"record,omitempty" json:"record,omitempty" scope:"where"`
}

// Noise says how labels are corrupted.
type Noise struct {
	Kind  string  `yaml:"kind" json:"kind"`                                // how labels are flipped
	Level float64 `yaml:"level" json:"level"`                              // N of the paper, in [0, 1)
	File  string  `yaml:"file,omitempty" json:"file,omitempty" path:"yes"` // CSV of T, for kind matrix
	// groups of classes within which asymmetric noise flips, for data whose classes have groups
	Groups string `yaml:"groups,omitempty" json:"groups,omitempty"`
}

// Examples bounds how much of the data is used, from a random order of the
// run's seed; 0 is all.
type Examples struct {
	Train int `yaml:"train,omitempty" json:"train,omitempty"` // of the training set, validation included
	Test  int `yaml:"test,omitempty" json:"test,omitempty"`   // of the test set
	// of a validation set that comes with the data
	Validation int `yaml:"validation,omitempty" json:"validation,omitempty"`
	Words      int `yaml:"words,omitempty" json:"words,omitempty"` // of each review, its last words
}

// Folds divides the training set into parts of equal size, each with about the same
// share of every class. Examples of one group stay in one part.
type Folds struct {
	Count int `yaml:"count,omitempty" json:"count,omitempty"` // number of parts; 0: the whole set is trained on
	Out   int `yaml:"out,omitempty" json:"out,omitempty"`     // the part that is left out, from 1
}

// Holdout is the share of the noisy training set kept for validation.
type Holdout struct {
	Share float64 `yaml:"share" json:"share" cost:"epoch"` // of the training set
	From  string  `yaml:"from" json:"from"`                // which part of the random order
	// the validation loss, which selects the epoch, includes the weight-decay term
	Penalty bool `yaml:"penalty" json:"penalty,omitempty"`
}

// Optimizer names an update rule and its constants.
type Optimizer struct {
	Name         string  `yaml:"name" json:"name" cost:"epoch"`      // the update rule
	LearningRate float64 `yaml:"learning_rate" json:"learning_rate"` // of the first epoch
	// in the denominator of adagrad and adam
	Epsilon  float64 `yaml:"epsilon" json:"epsilon,omitempty"`
	Momentum float64 `yaml:"momentum" json:"momentum,omitempty"` // of sgd
	// L2 penalty, as a term of the gradient
	WeightDecay float64 `yaml:"weight_decay" json:"weight_decay,omitempty"`
	// of the rate; empty: steps, at the milestones
	Schedule   string `yaml:"schedule,omitempty" json:"schedule,omitempty" usual:"steps"`
	Milestones []int  `yaml:"milestones" json:"milestones,omitempty"` // 0-based epochs at which the rate is divided by 10
}

// Estimator says how T-hat is estimated from a network trained on noisy labels.
type Estimator struct {
	Name     string  `yaml:"name" json:"name"`                   // the estimator
	Quantile float64 `yaml:"quantile" json:"quantile,omitempty"` // percentile: .97
	// class-quantile, also where it checks another estimator: .3
	Kappa float64 `yaml:"kappa" json:"kappa,omitempty"`
	// class-quantile, likewise: number of nearest rows that are averaged
	Average int `yaml:"average" json:"average,omitempty"`
	// examples from which T-hat is read, X' of Section 4.3; empty: training
	Sample string `yaml:"sample,omitempty" json:"sample,omitempty" usual:"training"`
}
