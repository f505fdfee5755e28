package paper

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"sync"
)

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

var clothing = sync.OnceValue(func() []Clothing {
	list, err := parseTable3(table3)
	if err != nil {
		// The table is part of the program; a test reads all of it.
		panic(err)
	}
	return list
})

// trainedOn are our names of the images trained on.
var trainedOn = map[string]string{"1M": "clothing1m", "50k": "clothing1m-clean"}

// Table3 returns the rows of Table 3 in order.
func Table3() []Clothing { return slices.Clone(clothing()) }

func parseTable3(text []byte) ([]Clothing, error) {
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("paper: table3.csv: %w", err)
	}
	var list []Clothing
	for k, r := range records[1:] {
		c := Clothing{Dataset: trainedOn[r[4]], Model: r[1], Loss: r[2], Init: r[3], Training: r[4], Elsewhere: r[6] == "1",
			Bold: r[7] == "1"}
		if c.Row, err = strconv.Atoi(r[0]); err == nil {
			c.Accuracy, err = strconv.ParseFloat(r[5], 64)
		}
		if err != nil {
			return nil, fmt.Errorf("paper: table3.csv:%d: %w", k+2, err)
		}
		list = append(list, c)
	}
	return list, nil
}
