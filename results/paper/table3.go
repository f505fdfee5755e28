package paper

import _ "embed"

//go:embed table3.csv
var table3 []byte

// Clothing is a row of Table 3: one network on Clothing1M.
type Clothing struct {
	Row         int    // 1 to 8
	Dataset     string // of Training, "" where we have none
	Model, Loss string
	Init        string // imagenet, or the row whose network it starts from
	Training    string // images trained on: 1M with noisy labels, 50k with clean ones
	Accuracy    float64
	Elsewhere   bool // taken from other papers
	Bold        bool
}

// trainedOn are our names of the images trained on.
var trainedOn = map[string]string{"1M": "clothing1m", "50k": "clothing1m-clean"}

// Table3 returns the rows of Table 3 in order.
func Table3() (list []Clothing) {
	for _, r := range records(table3) {
		list = append(list, Clothing{
			Row: int(number(r[0])), Dataset: trainedOn[r[4]], Model: r[1], Loss: r[2], Init: r[3], Training: r[4],
			Accuracy: number(r[5]), Elsewhere: r[6] == "1", Bold: r[7] == "1",
		})
	}
	return list
}
