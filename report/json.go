package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// tableJSON is a table as JSON. Numbers are per cent; what is not there is null.
type tableJSON struct {
	Dataset     string     `json:"dataset"`
	DataVariant string     `json:"data_variant,omitempty"`
	Model       string     `json:"model"`
	Preset      string     `json:"preset"`
	Settings    string     `json:"settings,omitempty"`
	Epochs      int        `json:"epochs"`
	Quick       bool       `json:"quick,omitempty"`
	Notes       []string   `json:"notes,omitempty"`
	Cells       []cellJSON `json:"cells"`
}

type cellJSON struct {
	Loss string `json:"loss"`
	Column
	Seeds         []uint64    `json:"seeds"`
	Diverged      int         `json:"diverged"`
	Selected      sampleJSON  `json:"selected"`
	Last          sampleJSON  `json:"last"`
	EstimateError *float64    `json:"estimate_error"`
	Paper         *paperJSON  `json:"paper"`
	Difference    *float64    `json:"difference"`
	Paired        *pairedJSON `json:"paired,omitempty"`
	Date          string      `json:"date"`
	Provenance
}

type sampleJSON struct {
	Mean *float64 `json:"mean"`
	Std  *float64 `json:"std"`
	Marks
}

type paperJSON struct {
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`
	Runs int     `json:"runs"`
	Marks
}

type pairedJSON struct {
	With       string   `json:"with"`
	Seeds      int      `json:"seeds"`
	Difference float64  `json:"difference"`
	Low        *float64 `json:"low,omitempty"` // these four are there from four seeds on
	High       *float64 `json:"high,omitempty"`
	P          *float64 `json:"p,omitempty"` // of the pair alone
	Holm       *float64 `json:"p_holm,omitempty"`
}

// WriteJSON writes tables as {"schema": 1, "program": version, "tables": [...]}.
func WriteJSON(w io.Writer, tables []*Table, version string) error {
	list := make([]tableJSON, len(tables))
	for k, t := range tables {
		list[k] = tableJSON{
			Dataset: t.Dataset, DataVariant: t.DataVariant, Model: t.Model, Preset: t.Preset, Settings: t.Settings,
			Epochs: t.Epochs, Quick: t.Quick, Notes: t.Notes(), Cells: []cellJSON{},
		}
		for j, column := range t.Columns {
			for i, row := range t.Rows {
				if c := t.Cells[i][j]; c != nil {
					list[k].Cells = append(list[k].Cells, c.json(row, column))
				}
			}
		}
	}
	return encode(w, map[string]any{"schema": 1, "program": version, "tables": list})
}

func (c *Cell) json(row Row, column Column) cellJSON {
	out := cellJSON{
		Loss: row.Name, Column: column,
		Seeds: c.Seeds, Diverged: c.Diverged, Selected: c.Selected.json(), Last: c.Last.json(), Date: c.Date, Provenance: c.Provenance,
	}
	if c.EstimateError.N > 0 && !math.IsNaN(c.EstimateError.Mean) && !math.IsInf(c.EstimateError.Mean, 0) {
		out.EstimateError = &c.EstimateError.Mean
	}
	if p := c.Paired; p != nil {
		out.Paired = &pairedJSON{With: p.With, Seeds: p.N, Difference: p.Mean}
		if p.Tested() {
			out.Paired.Low, out.Paired.High, out.Paired.P, out.Paired.Holm = &p.Low, &p.High, &p.P, &p.Holm
		}
	}
	if p := c.Paper; p != nil {
		out.Paper = &paperJSON{Mean: p.Mean, Std: p.Std, Runs: p.N, Marks: p.Marks}
		if d, ok := c.Difference(); ok {
			out.Difference = &d
		}
	}
	return out
}

func (e Entry) json() sampleJSON {
	out := sampleJSON{Marks: e.Marks}
	if e.N > 0 {
		out.Mean = &e.Mean
	}
	if e.N > 1 {
		out.Std = &e.Std
	}
	return out
}

func encode(w io.Writer, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err == nil {
		_, err = w.Write(append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("report: write json: %w", err)
	}
	return nil
}
