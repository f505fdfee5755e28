package config

import (
	"github.com/losscorr/losscorr/correction/losses"
	"github.com/losscorr/losscorr/internal/dataset/own"
)

// Config is one run with every setting resolved from preset, YAML files and overrides. Running the same Config again
// reproduces the run.
//
// The tags of a field describe a setting completely:
//
//	json   its key, and omitempty if results leave out its zero
//	help   its meaning, for the schema; errors about its range repeat the part after a semicolon
//	range  the numbers allowed
//	scope  a Scope; path: it is a path
//	usual  the name that an empty value stands for
//
// The order of the fields is part of the identity of a run.
type Config struct {
	Dataset string `json:"dataset" help:"what is learned"`
	Model   string `json:"model" help:"the network, or FILE.pt2 of torch.export.save; else the data's first"`
	Preset  string `json:"preset" help:"defaults of all settings: from the paper's text, its code, or ours"`
	Loss    string `json:"loss" scope:"cell" help:"the -estimated losses estimate T from a cross-entropy run"`
	Noise   Noise  `json:"noise" scope:"cell" help:"how labels are corrupted"`
	Seed    uint64 `json:"seed" scope:"cell" help:"decides noise, split, initial weights, batches and dropout"`
	Quick   bool   `json:"quick,omitempty" help:"a scaled-down run; its results are marked"`

	Source   own.Source `json:"source,omitzero" help:"where a user's own data is, for dataset own"`
	Folds    Folds      `json:"folds,omitzero" help:"leaves out a part of the training set, to be judged"`
	Examples Examples   `json:"examples,omitzero" help:"how much of the data is used"`

	Preprocessing string    `json:"preprocessing" help:"how examples become the network's input"`
	Augment       string    `json:"augment" help:"of training images"`
	Epochs        int       `json:"epochs" range:"[1,)" help:"passes over the training set"`
	WarmupEpochs  int       `json:"warmup_epochs,omitempty" help:"epochs at the start that train with cross-entropy"`
	StepsPerEpoch int       `json:"steps_per_epoch,omitempty" range:"[0,)" help:"batches; 0: one pass"`
	BatchSize     int       `json:"batch_size" range:"[1,)" help:"examples per training step"`
	Validation    Holdout   `json:"validation" help:"the part of the noisy training set that selects the epoch"`
	Optimizer     Optimizer `json:"optimizer" help:"the update rule and its constants"`

	Precision    string  `json:"precision,omitempty" usual:"float32" help:"of computations, not of weights"`
	Dropout      float64 `json:"dropout" range:"[0,1)" help:"probability that a unit is dropped"`
	Init         string  `json:"init" help:"initialiser of the weights"`
	InitOutput   string  `json:"init_output,omitempty" help:"initialiser of the last layer; empty: as init"`
	Weights      string  `json:"weights,omitempty" path:"yes" help:"safetensors file that the network starts from"`
	Hidden       []int   `json:"hidden,omitempty" help:"widths of hidden layers; empty: 128, 128"`
	EmbeddingDim int     `json:"embedding_dim,omitempty" help:"width of word vectors"`
	DropoutUnits string  `json:"dropout_units,omitempty" help:"what dropout drops from word vectors"`

	// Clip applies to probabilities in the loss. With 0, the loss is computed in log space.
	Clip      float64   `json:"clip" scope:"loss" range:"[0,.5)" help:"clips probabilities to [clip, 1-clip]; 0: off"`
	Estimator Estimator `json:"estimator" scope:"loss" help:"how T-hat is estimated from the cross-entropy run"`
	// Keys without help are described in long.
	Trusted    string `json:"trusted,omitempty" scope:"loss" path:"yes"`
	Transition string `json:"transition,omitempty" scope:"loss" path:"yes"`
	Targets    string `json:"targets,omitempty" scope:"loss" path:"yes"`
	Corrected  string `json:"corrected,omitempty" scope:"loss" path:"yes"`

	LossSettings losses.Settings `json:"loss_settings,omitzero" scope:"loss" help:"constants of the loss; 0: its default"`

	Note string `json:"note,omitempty" scope:"shown" help:"a line for readers of the results; not part of the ID"`

	// The settings below describe where and how a run is computed. They are not part of its identity.

	Data    string `json:"data,omitempty" scope:"where" path:"yes" help:"folder of the data sets"`
	Device  string `json:"device,omitempty" scope:"where" help:"cpu, cuda, cuda:1"`
	Workers int    `json:"workers,omitempty" scope:"where" range:"[0,)" help:"runs at a time; 0: one per core"`
	// TF32 rounds operands to 10 bits of mantissa.
	TF32          string `json:"tf32,omitempty" scope:"where" help:"GPU operations that may use TF32; empty: cudnn"`
	Deterministic bool   `json:"deterministic,omitempty" scope:"where" help:"the same bits each time on a GPU"`
	// Record applies to training steps: a recorded step is repeated with a single launch.
	Record string `json:"record,omitempty" scope:"where" help:"whether a GPU records a step; empty: auto"`
}

// long has the help that is too long for a tag.
var long = map[string]string{
	"trusted": "known labels, which name the rows of T-hat: a number per class or random:N of all examples, drawn at " +
		"random, or a CSV file; empty: none",
	"transition": "CSV of T for forward and backward; empty: the T that made the noise",
	"targets": "NPY [N C] with a distribution over classes, or likelihoods of the classes, for each training example, " +
		"for losses that train on it; rows of zeros are left out",
	"corrected": "CSV with index and label: training examples whose given label an audit found wrong, and the label to " +
		"train on instead, for losses without T",
	"source.path": "a folder or archive of images, a table (CSV, TSV, JSON lines, Parquet), or an NPY file of features " +
		"[N D] or of images [N H W C]",
	"source.labels": "a file of labels, if path has none or others: a table with the columns id and label, an NPY file, " +
		"or text with one label per line; the last two in the order of the examples",
	"source.backbone": "a pretrained network that turns images into the features to learn from: FILE.pt2 from " +
		"torch.export.save, or ResNet-50's weights as safetensors",
	"source.id": "column of the examples' names; empty: file_name or id for images, and for a table if its labels have " +
		"it too; otherwise the row numbers, from 0",
	"source.trusted": "column with 1, true or yes where the given label is known to be right",
	"source.group":   "column with equal values for examples that belong together and stay in one fold",
	"source.class_names": "names of classes whose labels are whole numbers, each as NUMBER=NAME; other classes keep " +
		"their numbers",
	"source.side": "height and width to which images are resized; 0: their size if all have the same and it is at most " +
		"64 pixels, otherwise 64",
	"source.words": "number of words used, from the end of each text; 0: 400, or the length of the longest text if " +
		"shorter",
}

// Noise describes how labels are corrupted.
type Noise struct {
	Kind  string  `json:"kind" help:"how labels are flipped"`
	Level float64 `json:"level" range:"[0,1)" help:"N of the paper; a share, such as .2"`
	File  string  `json:"file,omitempty" path:"yes" help:"CSV of T, for kind matrix"`
	// Groups are for data sets with groups of classes.
	Groups string `json:"groups,omitempty" help:"groups of classes within which asymmetric noise flips"`
}

// Examples bounds how much of the data is used. The seed decides which examples.
type Examples struct {
	Train      int `json:"train,omitempty" range:"[0,)" help:"of the training set, validation included; 0: all"`
	Test       int `json:"test,omitempty" range:"[0,)" help:"of the test set; 0: all"`
	Validation int `json:"validation,omitempty" range:"[0,)" help:"of a validation set that comes with the data; 0: all"`
	Words      int `json:"words,omitempty" range:"[0,)" help:"from the end of each review; 0: all"`
}

// Folds divides the training set into parts of equal size with about the same share of every class. Examples of one
// group stay in one part.
type Folds struct {
	Count int `json:"count,omitempty" help:"number of parts; 0: train on the whole set"`
	Out   int `json:"out,omitempty" help:"the part to leave out, from 1"`
}

// Holdout is the part of the noisy training set that is kept for validation.
type Holdout struct {
	Share float64 `json:"share" help:"of the training set"`
	From  string  `json:"from" help:"which part of the random order"`
	// Penalty applies to the validation loss, which selects the epoch.
	Penalty bool `json:"penalty,omitempty" help:"the validation loss includes the weight-decay term"`
}

// Optimizer names an update rule and its constants.
type Optimizer struct {
	Name         string  `json:"name" help:"the update rule"`
	LearningRate float64 `json:"learning_rate" range:"(0,)" help:"of the first epoch"`
	Epsilon      float64 `json:"epsilon,omitempty" range:"[0,)" help:"in the denominator of adagrad and adam"`
	Momentum     float64 `json:"momentum,omitempty" range:"[0,1)" help:"of sgd"`
	WeightDecay  float64 `json:"weight_decay,omitempty" range:"[0,)" help:"L2 penalty, as a term of the gradient"`
	Schedule     string  `json:"schedule,omitempty" usual:"steps" help:"of the rate; empty: steps, at the milestones"`
	Milestones   []int   `json:"milestones,omitempty" help:"0-based epochs at which the rate is divided by 10"`
}

// Estimator describes how T-hat is estimated from a network trained on noisy labels. Class-quantile also checks the
// other estimators.
type Estimator struct {
	Name     string  `json:"name" help:"the estimator"`
	Quantile float64 `json:"quantile,omitempty" help:"percentile: .97"`
	Kappa    float64 `json:"kappa,omitempty" range:"[0,1]" help:"of class-quantile, also as a check; 0: .3"`
	Average  int     `json:"average,omitempty" range:"[0,)" help:"rows averaged by class-quantile; 0: 1 % of a class"`
	// Sample is X' of Section 4.3.
	Sample string `json:"sample,omitempty" usual:"training" help:"examples that T-hat is estimated from; empty: training"`
}
