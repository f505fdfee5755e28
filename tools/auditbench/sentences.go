package auditbench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/losscorr/losscorr/tools/measured"
)

// sentences audits sentences of which people have said whether they are positive (Rodrigues et al., 2013), each with the
// answer of one of its people, by their words. In the folder are sentences.csv (task, text, truth) and answers.csv (task,
// worker, label); 1 is positive.
func (b *bench) sentences(ctx context.Context) error {
	sentences, err := measured.ReadCSV(filepath.Join(b.Sentiment, "sentences.csv"), "task", "text", "truth")
	if err != nil {
		return err
	}
	list, err := measured.ReadCSV(filepath.Join(b.Sentiment, "answers.csv"), "task", "label")
	if err != nil {
		return err
	}
	answers := map[string][]string{}
	for _, a := range list {
		answers[a[0]] = append(answers[a[0]], a[1])
	}
	values := []string{"0", "1"} // of sentiments
	var rows []fewRow
	for draw := range fewDraws {
		rng := rand.New(rand.NewPCG(seed, uint64(draw)))
		file := filepath.Join(b.Work, "sentences.csv")
		n := noisy{classes: sentiments, arguments: []string{file, "--text", "text", "--label", "label", "--id", "id", "--truth", "truth"}}
		records := [][]string{{"id", "text", "label", "truth"}}
		for _, s := range sentences {
			of := answers[s[0]]
			if len(of) == 0 {
				continue
			}
			given, truth := slices.Index(values, of[rng.IntN(len(of))]), slices.Index(values, s[2])
			if given < 0 || truth < 0 {
				return fmt.Errorf("%s: a label of task %s is neither 0 nor 1", b.Sentiment, s[0])
			}
			n.given, n.truth = append(n.given, given), append(n.truth, truth)
			records = append(records, []string{s[0], s[1], sentiments[given], sentiments[truth]})
		}
		if err := measured.WritePlain(file, records); err != nil {
			return err
		}
		row, err := b.fewOf(ctx, n, "--view", "tfidf")
		if err != nil {
			return err
		}
		row.Noise, row.Draw = "one person's answer", draw+1
		b.say("%+v", row)
		rows = append(rows, row)
	}
	return b.saveFew(rows)
}
