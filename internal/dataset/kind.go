package dataset

// Kind is the kind of an example.
type Kind int

// The kinds of examples.
const (
	Vector Kind = iota + 1 // [D], without channels: bytes or numbers
	Image                  // bytes [C H W]
	Text                   // tokens
)

// String returns the kind's name.
func (k Kind) String() string { return [...]string{"unknown", "numbers", "images", "text"}[k] }
