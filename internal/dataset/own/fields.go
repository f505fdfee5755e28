package own

// Kind is the kind of a field of Source.
type Kind int

const (
	Examples Kind = iota // the path of a file or folder of examples
	Labels               // the path of a file of labels
	Network              // the path of another file
	Word                 // a name defined by the program
	Column               // a column of tables
	List                 // columns or other words
	Count                // a whole number; 0 is the default
)

// Field describes a field of Source for commands that take DATA, for configurations and for the identity of a run.
type Field struct {
	Key    string // in a configuration, below source
	Flag   string // on a command line; "" for Path, which is the argument DATA
	Help   string // of the flag, with `this` for its value
	Kind   Kind
	Beside bool // a column that a separate table of labels may have

	// Text points to a path, a word or a column, List to a list, Number to a count; the others are nil.
	Text   func(*Source) *string
	List   func(*Source) *[]string
	Number func(*Source) *int
}

// Fields has an entry for each field of Source.
var Fields = []Field{
	{Key: "path", Kind: Examples, Text: func(s *Source) *string { return &s.Path }},
	{Key: "backbone", Flag: "backbone", Kind: Network, Text: func(s *Source) *string { return &s.Backbone },
		Help: "`FILE` of a pretrained network, whose features of images are learned from: FILE.pt2 of torch.export.save, " +
			"or ResNet-50's weights (.safetensors)"},
	{Key: "view", Kind: Word, Text: func(s *Source) *string { return &s.View }}, // commands have their own flags for it
	{Key: "labels", Flag: "labels", Kind: Labels, Text: func(s *Source) *string { return &s.Labels },
		Help: "`FILE` of the labels: a table, NPY, or text with one per line"},
	{Key: "test", Flag: "test", Kind: Examples, Text: func(s *Source) *string { return &s.Test },
		Help: "test examples: a folder, archive, table or NPY"},
	{Key: "test_labels", Flag: "test-labels", Kind: Labels, Text: func(s *Source) *string { return &s.TestLabels },
		Help: "`FILE` of the labels of the test examples"},
	{Key: "label", Flag: "label", Kind: Column, Beside: true, Text: func(s *Source) *string { return &s.Label },
		Help: "`COLUMN` of the labels (default: label)"},
	{Key: "id", Flag: "id", Kind: Column, Beside: true, Text: func(s *Source) *string { return &s.ID },
		Help: "`COLUMN` of the names of the examples; one without a name is \"Unnamed: N\", by its place from 0"},
	{Key: "text", Flag: "text", Kind: Column, Text: func(s *Source) *string { return &s.Text },
		Help: "`COLUMN` of the texts (default: text, if there is one and no --features are named)"},
	{Key: "features", Flag: "features", Kind: List, List: func(s *Source) *[]string { return &s.Features },
		Help: "`COLUMNS` of numbers, as a,b,c or first-last; with audit --probabilities also a file [N D], X.npy, to " +
			"find similar examples"},
	{Key: "split", Flag: "split", Kind: Column, Beside: true, Text: func(s *Source) *string { return &s.Split },
		Help: "`COLUMN` with train, val or test"},
	{Key: "truth", Flag: "truth", Kind: Column, Beside: true, Text: func(s *Source) *string { return &s.Truth },
		Help: "`COLUMN` of true labels, where they are known"},
	{Key: "trusted", Flag: "trusted-column", Kind: Column, Beside: true, Text: func(s *Source) *string {
		return &s.Trusted
	},
		Help: "`COLUMN` that marks labels known to be right"},
	{Key: "group", Flag: "group", Kind: Column, Beside: true, Text: func(s *Source) *string { return &s.Group },
		Help: "`COLUMN` of groups; each group stays in one fold"},
	{Key: "class_names", Flag: "class-names", Kind: List, List: func(s *Source) *[]string { return &s.ClassNames },
		Help: "names of classes that are numbers, as 0=hate,1=none, or a `FILE` with one such entry per line"},
	{Key: "side", Flag: "side", Kind: Count, Number: func(s *Source) *int { return &s.Side },
		Help: "height and width in pixels to which images are resized (0: chosen from the data)"},
	{Key: "vocabulary", Flag: "vocabulary", Kind: Count, Number: func(s *Source) *int { return &s.Vocabulary },
		Help: "number of words that have a vector (0: chosen from the data)"},
	{Key: "words", Flag: "words", Kind: Count, Number: func(s *Source) *int { return &s.Words },
		Help: "number of words of a text that are used (0: chosen from the data)"},
}

// Path reports whether the field is the path of a file or folder.
func (f Field) Path() bool { return f.Kind == Examples || f.Kind == Labels || f.Kind == Network }

// Paths returns pointers to Inputs, to change them.
func (s *Source) Paths() (paths []*string) {
	for _, f := range Fields {
		if f.Path() && *f.Text(s) != "" {
			paths = append(paths, f.Text(s))
		}
	}
	return paths
}

// Inputs returns the paths of a source, without empty ones.
func (s Source) Inputs() (paths []string) {
	for _, path := range s.Paths() {
		paths = append(paths, *path)
	}
	return paths
}

// files returns the paths of the examples and labels, without empty ones.
func (s Source) files() []string {
	s.Backbone = ""
	return s.Inputs()
}
