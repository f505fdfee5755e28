// Package own reads a user's own data, which a [Source] describes:
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
// [Read] is [Open], which finds out the form of the data, and [Data.Read]. Originals, sums and the fingerprint of
// opened data are methods of [Data].
//
// Labels are strings or whole numbers; 3.0 is the class 3. Those of a file of their own
// are joined by the examples' names where both files have them, else by order; names in
// the file of labels that are the numbers 0 to N-1 are those of the examples. Examples
// for validation belong to the training set. The commonest words of the training texts
// are the vocabulary, with the tokens of IMDB's. Features in float16 stay so, bytes stay
// bytes, and all others become float32. Examples without a label count as broken images do: more
// than Options.MaxBad are an error, others are left out and listed in Skipped. missing.go has the
// rule for which labels are missing. A number that is NaN, and a class that only test examples
// have are errors.
//
// # Images
//
//	photos/CLASS/.../FILE                   or photos/{train,val,test}/CLASS/.../FILE; images of
//	                                        val are training examples as those of train are
//	photos/metadata.csv or .jsonl, photos/.../FILE    labels in the columns file_name and label
//	photos.zip, photos.tar.gz               an archive of such a folder
//
// Folders may be links. A table of labels names an image by its path, or by the name of its file alone;
// case, the form of Unicode and a missing ending do not matter where only one image fits.
//
// Images are JPEG, PNG, GIF, WebP, BMP or TIFF of any size up to 67 million pixels. They
// become squares of Source.Side pixels, or of 64, unless all have one size of at most 64 x
// 64. Where that is more than 4 GiB, they are read as Clothing1M's are, which needs a
// folder.
//
// # Probabilities
//
// [Source.ReadProbabilities] reads what another model says of the examples; labels alone are
// enough then.
package own
