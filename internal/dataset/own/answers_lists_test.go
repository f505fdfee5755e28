package own

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/losscorr/losscorr/correction/annotators"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

func writeParquet[T any](t *testing.T, list []T, rowsPerGroup int) string {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, parquet.MaxRowsPerRowGroup(int64(rowsPerGroup)), parquet.PageBufferSize(64))
	expect.OK(t, expect.Err(w.Write(list)))
	expect.OK(t, w.Close())
	path := datasettest.File(t, "answers.parquet", b.Bytes())
	return path
}

// Lists of Parquet, repeated values and lists of other tools, are the answers of a table with a row for each.
func TestReadAnswersOfLists(t *testing.T) {
	type lists struct {
		ID      int64    `parquet:"id"`
		Workers []string `parquet:"workers,list"`
		Labels  []*int32 `parquet:"labels,list"`
	}
	type group struct {
		ID      string `parquet:"task"`
		Answers struct {
			Who  []string `parquet:"who"`
			Says []string `parquet:"says"`
		} `parquet:"answers"`
	}
	type alone struct {
		ID    string  `parquet:"task"`
		Label []int64 `parquet:"label"`
	}
	var first []lists
	var second []group
	var third []alone
	var want, places []annotators.Answer
	for i := range int32(40) {
		x, y, z := lists{ID: int64(i)}, group{ID: fmt.Sprint(i)}, alone{ID: fmt.Sprint(i)}
		for r := range i % 4 { // none of the first one
			who, label := (i+r)%5, (i*r)%3
			x.Workers, x.Labels = append(x.Workers, fmt.Sprint("p", who)), append(x.Labels, &label)
			y.Answers.Who, y.Answers.Says = append(y.Answers.Who, fmt.Sprint("p", who)),
				append(y.Answers.Says, fmt.Sprint(label))
			z.Label = append(z.Label, int64(label))
			want = append(want, annotators.Answer{Task: i, Worker: who, Label: label})
			places = append(places, annotators.Answer{Task: i, Worker: r, Label: label})
		}
		x.Workers, x.Labels = append(x.Workers, "p9"), append(x.Labels, nil) // no answer
		first, second, third = append(first, x), append(second, y), append(third, z)
	}
	for name, of := range map[string]struct {
		path    string
		columns AnswerColumns
		want    []annotators.Answer
	}{
		"lists":      {writeParquet(t, first, 7), AnswerColumns{}, want},
		"groups":     {writeParquet(t, second, 100), AnswerColumns{Worker: "answers.who", Label: "answers.says"}, want},
		"no workers": {writeParquet(t, third, 9), AnswerColumns{}, places},
	} {
		a := expect.Got(ReadAnswers(of.path, of.columns))(t)
		number := map[string]int32{}
		for _, x := range of.want { // people are numbered by their first answers
			key := fmt.Sprint(x.Worker)
			if _, known := number[key]; !known {
				number[key] = int32(len(number))
			}
		}
		list := slices.Clone(of.want)
		for k, x := range list {
			list[k].Worker = number[fmt.Sprint(x.Worker)]
		}
		expect.Same(t, list, a.List, name)
		if len(a.Tasks) != 40 || a.Tasks[39] != "39" || !slices.Equal(a.Classes, []string{"0", "1", "2"}) {
			t.Errorf("%s: tasks %v, classes %v", name, a.Tasks, a.Classes)
		}
		if got := strings.Join(a.Findings, "\n"); !strings.Contains(got, "examples without an answer: 10") {
			t.Errorf("%s: findings %s", name, got)
		}
	}
}

func TestReadAnswersOfListsRefuses(t *testing.T) {
	type row struct {
		ID     string   `parquet:"id"`
		Worker []string `parquet:"worker"`
		Label  []string `parquet:"label"`
	}
	good := row{"x", []string{"a", "b"}, []string{"cat", "dog"}}
	for want, c := range map[string]struct {
		second  row
		columns AnswerColumns
	}{
		"row 1: 2 labels by 1 people":                             {row{"y", []string{"a"}, []string{"cat", "dog"}}, AnswerColumns{}},
		`row 1: "x" is listed twice`:                              {row{"x", []string{"a"}, []string{"cat"}}, AnswerColumns{}},
		"row 1: the name of the example":                          {row{"", []string{"a"}, []string{"cat"}}, AnswerColumns{}},
		"row 1: the name of the person":                           {row{"y", []string{" "}, []string{"cat"}}, AnswerColumns{}},
		`no list "who" of people`:                                 {row{"y", nil, nil}, AnswerColumns{Worker: "who"}},
		"no column with the names":                                {row{"y", nil, nil}, AnswerColumns{Task: "name"}},
		"use --annotator only for tables with one value per cell": {row{"y", nil, nil}, AnswerColumns{People: []string{"a"}}},
	} {
		expect.Says(t, expect.Err(ReadAnswers(writeParquet(t, []row{good, c.second}, 10), c.columns)), want)
	}
	whole := expect.Got(os.ReadFile(writeParquet(t, []row{good, good}, 10)))(t)
	for n := range len(whole) { // a damaged file is an error or has other answers, and never a panic
		damaged := slices.Clone(whole)
		damaged[n] ^= 0xff
		path := datasettest.File(t, "damaged.parquet", damaged)
		_, _ = ReadAnswers(path, AnswerColumns{})
	}
}
