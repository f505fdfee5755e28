// Package rows reads tables row by row: CSV, TSV, JSON lines and Parquet, chosen by the
// ending of the file's name.
//
//	r, err := rows.Open("reviews.csv")
//	if err != nil {
//		return err
//	}
//	defer r.Close()
//	if err := r.Select("id", "text"); err != nil {
//		return err // names the file; did you mean ...?
//	}
//	for {
//		row, err := r.Read()
//		if err == io.EOF {
//			break
//		}
//		if err != nil {
//			return err // reviews.csv:17: ...
//		}
//		fmt.Println(r.Where(), row[0], row[1])
//	}
//
// All values are strings; a missing value is "". Files are streamed: only a row is in memory, or pages of the selected
// columns of Parquet.
//
//	.csv .csv.gz              RFC 4180, the names of the columns in the first line; see below
//	.tsv .tsv.gz              the same with tabs; quotes inside a value are kept
//	.jsonl .ndjson, and .gz   an object per line; each key in the first MiB is a column
//	FOLDER                    Parquet in shards, such as train-00000-of-00002.parquet
//	.parquet                  columns of single strings, numbers and booleans; no others can be selected
//
// Text is UTF-8, with or without a byte order mark. Empty rows of CSV are left out, and separators at the end of a row
// do not count.
package rows
