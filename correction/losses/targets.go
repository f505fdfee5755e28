package losses

import "github.com/losscorr/losscorr/torch"

// tabledClasses is the number of classes up to which targets are rows of a table, which
// has its square of entries.
const tabledClasses = 512

// targets are what losses compare predictions with: rows [N C], each a function of the
// one-hot vector of its label. The table, if there is one, lives in the scope in which
// newTargets was called.
type targets struct {
	table   torch.Tensor // [C C]; the zero Tensor of many classes
	classes int
	change  func(oneHot torch.Tensor) torch.Tensor // entry by entry; nil leaves it as it is
	torch.Options
}

func newTargets(classes int, o torch.Options, change func(oneHot torch.Tensor) torch.Tensor) targets {
	t := targets{classes: classes, change: change, Options: o}
	if classes <= tabledClasses {
		t.table = torch.Tidy(func() torch.Tensor { return t.changed(torch.Eye(classes, o)) })
	}
	return t
}

// of returns the targets of labels [N].
func (t targets) of(labels torch.Tensor) torch.Tensor {
	if t.classes <= tabledClasses {
		return t.table.IndexSelect(0, labels)
	}
	none := torch.Zeros(t.Options, labels.Size(0), t.classes)
	return t.changed(none.ScatterValue(1, labels.Unsqueeze(1), 1))
}

func (t targets) changed(oneHot torch.Tensor) torch.Tensor {
	if t.change == nil {
		return oneHot
	}
	return t.change(oneHot)
}
