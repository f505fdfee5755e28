// Package own reads a user's own data. A [Source] describes it, and [Read] returns a [dataset.Dataset]:
//
//	photos/, photos.zip                 CLASS/FILE, {train,val,test}/CLASS/FILE, or a metadata.csv
//	reviews.csv, .tsv, .jsonl, .parquet a column of text, or columns of numbers, and the label
//	reviews/                            the same in shards, such as train-00000-of-00002.parquet
//	X.npy, with y.npy, .csv or .txt     features [N D], or images of bytes [N H W C] or [N H W]
//
//	s := own.Source{Path: "reviews.csv", Text: "text", ID: "id", Split: "part"}
//	data, err := own.Read(ctx, s, dataset.Options{})
//	if err != nil {
//		return err // reviews.csv:17: ...
//	}
//	fmt.Println(data.Classes, data.Train.IDs[0], data.Words[:5])
//
// [Read] is [Open], which detects the form of the data, and [Data.Read]. [Data] also has methods for originals,
// hashes and the fingerprint.
//
// Labels are strings or whole numbers; 3.0 is the class 3. A separate file of labels is joined by the examples'
// names if both files have them, else by order; the names 0 to N-1 in the file of labels are row numbers.
// Examples for validation belong to the training set. The vocabulary is the most frequent words of the training
// texts, with IMDB's special tokens. Features in float16 and bytes keep their type; all others become float32.
// Examples without a label count as broken images do: more than Options.MaxBad are an error, fewer are left out
// and listed in Skipped. missing.go defines which labels are missing. NaN in a feature is an error, and so is a
// class that only test examples have.
//
// # Images
//
//	photos/CLASS/.../FILE                   or photos/{train,val,test}/CLASS/.../FILE; val
//	                                        belongs to the training set
//	photos/metadata.csv or .jsonl, photos/.../FILE    labels in the columns file_name and label
//	photos.zip, photos.tar.gz               an archive of such a folder
//
// Folders may be links. A table of labels names an image by its path or the name of its file. Case, the form of
// Unicode and a missing ending do not matter if only one image fits.
//
// Images are JPEG, PNG, GIF, WebP, BMP or TIFF of up to 67 million pixels. They become squares of Source.Side
// pixels, by default 64, unless all have the same size of at most 64 x 64. More than 4 GiB of pixels are
// streamed, as for Clothing1M, which needs a folder.
//
// # Probabilities
//
// [Source.ReadProbabilities] reads another model's probabilities for the examples. Then labels are enough.
package own
