package html_test

import (
	"fmt"
	"strings"

	"github.com/losscorr/losscorr/internal/report"
	"github.com/losscorr/losscorr/internal/report/html"
)

func ExampleWrite() {
	study, err := report.Load("../../../results") // the tables that are kept there
	if err != nil {
		fmt.Println(err)
	}
	var page strings.Builder
	if err := html.Write(&page, study, html.Options{Program: "example"}); err != nil {
		fmt.Println(err)
	}
	fmt.Println(strings.Count(page.String(), "<script"), "scripts")
	// Output: 0 scripts
}
