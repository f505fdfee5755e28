package annotatorsbench

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/npy"
	"github.com/losscorr/losscorr/tools/measured"
)

// crowd is a data set that several people have labelled, with the truth.
type crowd struct {
	name     string
	answers  *annotators.Answers
	truth    []int
	features []float32 // [N D]
	width    int       // D
}

// sentiment reads sentences.csv (task,text,truth) and answers.csv (task,worker,label) of
// Sentiment. The features are in the order of the sentences.
func sentiment(folder, features string) (crowd, error) {
	data := crowd{name: "sentiment"}
	sentences, err := measured.ReadCSV(filepath.Join(folder, "sentences.csv"), "task", "truth")
	if err != nil {
		return data, err
	}
	place := map[string]int32{}
	for _, row := range sentences {
		place[row[0]] = int32(len(data.truth))
		truth, err := strconv.Atoi(row[1])
		if err != nil {
			return data, fmt.Errorf("%s: the truth of task %s: %w", folder, row[0], err)
		}
		data.truth = append(data.truth, truth)
	}
	given, err := measured.ReadCSV(filepath.Join(folder, "answers.csv"), "task", "worker", "label")
	if err != nil {
		return data, err
	}
	workers := names{}
	var list []annotators.Answer
	for _, row := range given {
		task, known := place[row[0]]
		label, err := strconv.Atoi(row[2])
		if !known || err != nil {
			return data, fmt.Errorf("%s: answer %v: no such task, or no number", folder, row)
		}
		list = append(list, annotators.Answer{Task: task, Worker: workers.of(row[1]), Label: int32(label)})
	}
	if data.answers, err = annotators.New(len(data.truth), workers.list, []string{"0", "1"}, list); err != nil {
		return data, err
	}
	return data, data.read(features)
}

// cifar10n reads labels.csv (file_name,truth,random1,random2,random3) of CIFAR-10N. The features
// are in the order of the file names. Of all images, most are drawn. The three columns stand for
// people, though those who filled them differ from image to image.
func cifar10n(folder, features string, most int) (crowd, error) {
	data := crowd{name: "cifar10n"}
	columns := []string{"file_name", "truth", "random1", "random2", "random3"}
	rows, err := measured.ReadCSV(filepath.Join(folder, "labels.csv"), columns...)
	if err != nil {
		return data, err
	}
	slices.SortFunc(rows, func(a, b []string) int { return cmp.Compare(a[0], b[0]) })
	if err := data.read(features); err != nil {
		return data, err
	}
	if data.width > 0 && len(data.features) != len(rows)*data.width {
		return data, fmt.Errorf("%s has %d rows, want one for each of %d images", features, len(data.features)/data.width, len(rows))
	}
	classes := names{}
	for _, row := range rows {
		classes.of(row[1])
	}
	slices.Sort(classes.list)
	drawn := rand.New(rand.NewPCG(seed, 0)).Perm(len(rows))[:min(most, len(rows))]
	slices.Sort(drawn)
	var list []annotators.Answer
	var kept []float32
	for i, at := range drawn {
		row := rows[at]
		data.truth = append(data.truth, slices.Index(classes.list, row[1]))
		for r, label := range row[2:] {
			list = append(list, annotators.Answer{Task: int32(i), Worker: int32(r), Label: int32(slices.Index(classes.list, label))})
		}
		kept = append(kept, data.features[at*data.width:(at+1)*data.width]...)
	}
	data.features = kept
	data.answers, err = annotators.New(len(drawn), columns[2:], classes.list, list)
	return data, err
}

// seed draws the images of CIFAR-10N.
const seed = 1

func (c *crowd) read(path string) error {
	if path == "" {
		return nil
	}
	features, shape, err := npy.ReadFloat32(path)
	if err != nil {
		return err
	}
	c.features, c.width = features, shape[1]
	return nil
}

// names numbers names by their first use.
type names struct {
	list  []string
	place map[string]int32
}

func (n *names) of(name string) int32 {
	at, known := n.place[name]
	if !known {
		if n.place == nil {
			n.place = map[string]int32{}
		}
		at = int32(len(n.list))
		n.list, n.place[name] = append(n.list, name), at
	}
	return at
}
