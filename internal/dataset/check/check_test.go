package check

import (
	"encoding/json"
	"fmt"
	"image/color"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/dataset/own"
	"github.com/losscorr/losscorr/internal/expect"
)

// checkedGroups formats groups as text: their examples and findings.
func checkedGroups(r *Report) (lines []string) {
	for _, g := range r.Duplicates {
		var ids []string
		for _, e := range g.Examples {
			ids = append(ids, e.ID)
		}
		lines = append(lines, fmt.Sprintf("%s exact=%v labels=%v splits=%v", strings.Join(ids, " "), g.Exact, g.LabelsDiffer,
			g.AcrossSplits))
	}
	return lines
}

// Of many pictures those are found that are the same, or the same at another size or
// compression, in memory and streamed. Groups with different labels come first.
func TestCheckImages(t *testing.T) {
	datasettest.Isolate(t)
	var entries []datasettest.Entry
	for k := range 60 {
		entries = append(entries, datasettest.Entry{Name: fmt.Sprintf("train/%c/%02d.jpg", 'a'+k%2, k),
			Content: datasettest.JPEGFile(t, datasettest.Waves(uint64(k), 64, 64), 95)})
	}
	add := func(name string, seed uint64, w, quality int) {
		entries = append(entries, datasettest.Entry{Name: name, Content: datasettest.JPEGFile(t,
			datasettest.Waves(seed, w, w), quality)})
	}
	add("train/a/again.jpg", 0, 64, 95)   // of train/a/00.jpg
	add("test/b/twin.jpg", 3, 64, 95)     // of train/b/03.jpg
	add("train/b/smaller.jpg", 4, 48, 60) // of train/a/04.jpg, with another label
	add("test/a/poor.jpg", 8, 64, 50)     // of train/a/08.jpg
	entries = append(entries, datasettest.Entry{Name: "train/a/broken: 1.jpg", Content: "x"},
		datasettest.Entry{Name: "train/b/broken: 1.jpg", Content: "x"},
		datasettest.Entry{Name: "train/a/blank.png", Content: datasettest.PNG(t, 64, 64, color.White)},
		datasettest.Entry{Name: "train/a/nearly.png", Content: datasettest.PNG(t, 64, 64, color.Gray{254})})
	root := datasettest.Album(t, entries...)
	want := []string{
		"train/a/04.jpg train/b/smaller.jpg exact=false labels=true splits=false",
		"train/b/03.jpg test/b/twin.jpg exact=true labels=false splits=true",
		"train/a/08.jpg test/a/poor.jpg exact=false labels=false splits=true",
		"train/a/00.jpg train/a/again.jpg exact=true labels=false splits=false",
	}
	for _, limit := range []int{0, 1000} {
		s := own.Source{Path: root}
		d := expect.Got(own.Read(t.Context(), s, dataset.Options{MaxBad: 2, InMemory: limit}))(t)
		expect.Same(t, limit == 1000, d.Train.Images != nil, "streamed")
		r := expect.Got(Run(t.Context(), d, expect.Got(own.Open(s))(t), dataset.Options{}))(t)
		expect.Same(t, want, checkedGroups(r), limit)
		expect.Same(t, []string{"train/a/broken: 1.jpg", "train/b/broken: 1.jpg"},
			dataset.SkippedNames(r.Skipped), limit, r.Unreadable)
	}
}

// words are the tokens of a text, padded in front.
func words(length int, ids ...int32) []int32 {
	return append(make([]int32, length-len(ids)), ids...)
}

func TestCheckTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const length, n = 60, 400
	d := &dataset.Dataset{Classes: []string{"neg", "pos"}, Train: dataset.Split{Shape: []int{length}}}
	text := func(k int) []int32 { return d.Train.Tokens[k*length : (k+1)*length] }
	for k := range n {
		ids := make([]int32, 40+k%20)
		for i := range ids {
			ids[i] = 3 + r.Int32N(1000)
		}
		switch k {
		case 7: // one word differs
			ids = slices.Clone(text(5))
			ids[30] = 2000
		case 11, 12:
			ids = slices.Clone(text(10))
		case 20, 21:
			ids = []int32{5}
		case 22:
			ids = nil
		}
		d.Train.Tokens = append(d.Train.Tokens, words(length, ids[max(0, len(ids)-length):]...)...)
		d.Train.Labels = append(d.Train.Labels, k%2)
	}
	report := expect.Got(Run(t.Context(), d, &own.Data{}, dataset.Options{}))(t)
	want := []string{"10 11 12 exact=true labels=true splits=false", "20 21 exact=true labels=true splits=false"}
	expect.Same(t, want, checkedGroups(report))
}

// Rare words, which are one word to a network, and those of the test set alone tell texts
// apart.
func TestCheckRareWords(t *testing.T) {
	var table strings.Builder
	table.WriteString("text,label,part\n")
	for k := range 40 {
		fmt.Fprintf(&table, "brand sku%d of the first quality,%c,%s\n", k, "ab"[k%2], []string{"train", "test"}[k/30])
	}
	table.WriteString("Brand SKU7 of the first quality.,a,train\n")
	datasettest.Here(t, "t.csv", table.String())
	s := own.Source{Path: "t.csv", Text: "text", Split: "part", Vocabulary: 10}
	d := expect.Got(own.Read(t.Context(), s, dataset.Options{}))(t)
	r := expect.Got(Run(t.Context(), d, expect.Got(own.Open(s))(t), dataset.Options{}))(t)
	expect.Same(t, []string{"7 40 exact=true labels=true splits=false"}, checkedGroups(r))
	expect.Same(t, "2 examples in 1 group of duplicates (1 exact, 0 near) have different labels: "+
		"check them, since some of these labels may be wrong", r.Findings[0])
}

// The difference that two nearly equal images may have is a share of their contrast.
func TestThumbnailNear(t *testing.T) {
	half := func(dark, light byte) thumbnail {
		planes := make([]byte, 3*24*24)
		for k := range planes {
			planes[k] = dark
			if k%24 >= 12 {
				planes[k] = light
			}
		}
		return newThumbnail(planes, []int{3, 24, 24})
	}
	a := half(50, 150) // a contrast of 50 about the mean
	for _, test := range []struct {
		dark, light byte
		want        bool
	}{{50, 150, true}, {54, 154, true}, {56, 156, false}, {55, 145, false}, {150, 50, false}, {100, 100, false}} {
		if b := half(test.dark, test.light); a.near(&b) != test.want || b.near(&a) != test.want {
			t.Errorf("half %d and half %d: near %v and %v, want %v", test.dark, test.light, a.near(&b), b.near(&a), test.want)
		}
	}
	if flat := half(100, 100); flat.near(&flat) {
		t.Error("an image without contrast is near to another one")
	}
}

func TestCheckFeatures(t *testing.T) {
	d := &dataset.Dataset{
		Classes: []string{"a", "b"},
		Train:   dataset.Split{Shape: []int{2}, Features: []float32{1, 2, 3, 4, 1, 2}, Labels: []int{0, 1, 1}},
		Test:    dataset.Split{Shape: []int{2}, Features: []float32{3, 4, 3, 5}, Labels: []int{1, 0}},
	}
	r := expect.Got(Run(t.Context(), d, &own.Data{Source: own.Source{Path: "x.npy"}}, dataset.Options{}))(t)
	expect.Same(t, []string{"0 2 exact=true labels=true splits=false", "1 0 exact=true labels=false splits=true"},
		checkedGroups(r))
	d = &dataset.Dataset{Classes: []string{"a", "b"}, Train: dataset.Split{Shape: []int{2}, Halves: []uint16{1, 2, 1, 2},
		Labels: []int{0, 0}}}
	r = expect.Got(Run(t.Context(), d, &own.Data{}, dataset.Options{}))(t)
	expect.Same(t, 1, len(r.Duplicates), "of float16")
}

// Names are of one class, perhaps, if they differ by case, space or punctuation.
func TestSimilarClasses(t *testing.T) {
	for names, want := range map[string]int{"Cat|cat ": 1, "hot dog|Hot_Dog": 1, "cat|car": 0, "class 10|class 11": 0,
		"1.0|1": 0, "+|-": 0, "猫|犬": 0} {
		a, b, _ := strings.Cut(names, "|")
		expect.Same(t, want, len(similarClasses([]Class{{Name: a}, {Name: b}})), names)
	}
}

func TestCheckReport(t *testing.T) {
	d := &dataset.Dataset{
		Classes: []string{"Cat", "cat", "dog"}, Skipped: []dataset.Skipped{{Name: "x.png", Why: "image: unknown format"}},
		Train: dataset.Split{Shape: []int{1}, IDs: []string{"a", "b"}},
		Test:  dataset.Split{Shape: []int{1}, Features: []float32{1}, Labels: []int{2}, IDs: []string{"c"}},
	}
	for k := range 250 {
		d.Train.Features = append(d.Train.Features, float32(max(k, 7)))
		d.Train.Labels = append(d.Train.Labels, 1+k%2)
	}
	d.Train.Labels[249], d.Train.IDs = 0, nil
	r := expect.Got(Run(t.Context(), d, &own.Data{Source: own.Source{Path: "pets"}}, dataset.Options{}))(t)
	want := `pets: 250 training and 1 test examples in 3 classes

  class  training   share      test
  cat         125   50.0%         0
  dog         124   49.6%         1
  Cat           1    0.4%         0

- 8 examples in 1 group of duplicates (1 exact, 0 near) have different labels: check them, since some of these labels may be wrong
    train 0 (cat), train 1 (dog), train 2 (cat), train 3 (dog), train 4 (cat) and 3 more

- unusable files or labels, which are missing, broken or without a match: 1
    x.png: image: unknown format

- 1 class with fewer than 100 training examples, too few to estimate the rows and columns of T: "Cat"

- pairs of classes that differ only by case, spaces or punctuation: "Cat" and "cat"; check whether each is one class
`
	expect.Same(t, want, r.Text())
	raw := expect.Got(json.Marshal(r))(t)
	for _, part := range []string{`{"schema":1,"data":"pets","train":250,"validation":0,"test":1,"classes":[{"name":"Cat","train":1,"validation":0,"test":0,"too_small":true}`,
		`"similar_classes":[{"names":["Cat","cat"],"why":"case, spaces or punctuation"}]`,
		`"unreadable":["x.png: image: unknown format"]`,
		`"duplicates":[{"exact":true,"labels_differ":true,"across_splits":false,"examples":[{"split":"train","row":0,"id":"0","label":"cat"}`} {
		expect.Says(t, string(raw), part)
	}
	d = &dataset.Dataset{Classes: []string{"a", "b"}, Train: dataset.Split{Shape: []int{1}}}
	for k := range 2 * minClass {
		d.Train.Features, d.Train.Labels = append(d.Train.Features, float32(k)), append(d.Train.Labels, k%2)
	}
	r = expect.Got(Run(t.Context(), d, &own.Data{Source: own.Source{Path: "x"}}, dataset.Options{}))(t)
	expect.Says(t, r.Text(), "\nno problems found\n")
	expect.Same(t, []string{}, r.Findings) // not null in JSON
}

// Texts without a word, whatever wrote them, and odd rows are findings.
func TestCheckEmptyTexts(t *testing.T) {
	datasettest.Here(t, "t.jsonl", `{"id": "a", "text": "one", "label": 0}
{"id": "b", "text": null, "label": 1}
{"id": "c", "text": " ?! ", "label": 0}
{"id": "d", "label": 1}
{"id": "e", "text": "two", "label": 1}
`, "t.csv", "id,text,label\na,one,0\nb,,1\n,,\nc,?!,0\nd,,1\ne,two,1\n")
	for _, path := range []string{"t.jsonl", "t.csv"} {
		s := own.Source{Path: path, Text: "text", ID: "id"}
		d := expect.Got(own.Read(t.Context(), s, dataset.Options{}))(t)
		r := expect.Got(Run(t.Context(), d, expect.Got(own.Open(s))(t), dataset.Options{}))(t)
		expect.Says(t, r.Text(), "- training texts without any word: 3\n    b\n    c\n    d\n")
	}
}

// Classes named like missing labels are listed; signs of numbers are not punctuation.
func TestCheckNames(t *testing.T) {
	for want, names := range map[string][]string{
		"": {"-1", "1", "nothing", "+", "-"},
		`4 classes named as programs write missing labels: "NA", "None", "n/a", "?"; for a missing label`: {"cat",
			"NA", "dog", "None", "n/a", "?"},
		`1 class named as programs write missing labels: "-1"; for`: {"-1", "0", "1"},
	} {
		d := &dataset.Dataset{Classes: names}
		for k := range names {
			for range minClass {
				d.Train.Labels = append(d.Train.Labels, k)
			}
		}
		r := expect.Got(Run(t.Context(), d, &own.Data{}, dataset.Options{}))(t)
		if got := strings.Join(r.Findings, "\n"); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%q: findings %q, want %q", names, got, want)
		}
	}
}

func TestMain(m *testing.M) { datasettest.Main(m) }
