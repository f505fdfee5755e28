// Package dataset reads data sets in the formats in which they are published and
// returns them as bytes, tokens or numbers, with class numbers as labels.
//
// Open looks for the files of a data set in the folder it is given, then in
// $LOSSCORR_DATA, ./data, the user's cache folder and the program itself, checks every
// byte of them, and returns a training and a test split. A data set that is not found
// is downloaded from its official address, unless Options.Offline is set or
// $LOSSCORR_OFFLINE is 1 or true:
//
//	data, err := dataset.Open("cifar10", dataset.Options{})
//	if err != nil {
//		return err // names the file and the place, or the folders searched
//	}
//	fmt.Println(data.Classes[:3])     // [airplane automobile bird]
//	fmt.Println(data.Train.Len())     // 50000
//	fmt.Println(data.Train.Shape)     // [3 32 32]
//	pixels := data.Train.Example(0)   // 3072 bytes, 0 to 255: red, green, blue
//	class := data.Train.Labels[0]
//
// The data sets:
//
//	name              an example                        read from
//	mnist             784 bytes                         four idx files, packed or not
//	cifar10           3 x 32 x 32 bytes                 cifar-10-binary.tar.gz, or its folder, or JPEG or PNG files
//	cifar100          3 x 32 x 32 bytes, super-classes  cifar-100-binary.tar.gz, or its folder, or JPEG or PNG files
//	imdb              400 tokens in [0, 5000)           aclImdb_v1.tar.gz, or its folder
//	clothing1m        3 x 256 x 256 bytes               its key lists, label files and images
//	clothing1m-clean  the same, trained on true labels  the same
//
// The JPEG or PNG files of the CIFARs are copies in train/CLASS/FILE and
// test/CLASS/FILE, with the official names of the classes (train/aquarium_fish/0001.jpg),
// in cifar10-jpeg.tar.gz and cifar100-jpeg.tar.gz or in folders cifar10-jpeg and
// cifar100-jpeg. Dataset.Variant says that it is a copy; the official files come first.
//
// Clothing1M is too large for memory: its splits have Images instead of X, which
// are decoded in parallel while they are used, in the requested order:
//
//	for pixels, err := range data.Train.Images.Batches(rows, 32) {
//		if err != nil {
//			return err
//		}
//		step(pixels) // 32 x 3 x 256 x 256 bytes, until the next turn
//	}
//
// A photograph is scaled so that its short side has 256 pixels, and the middle of the
// long side is kept, as torchvision's Resize(256) and CenterCrop(256) do. An image that
// is missing or cannot be decoded is replaced by a grey one; Options.MaxBad is the
// number of such images that is allowed.
//
// [OpenOwn] reads a user's own data, images for example, from where a [Source] says:
//
//	photos/CLASS/FILE                       or photos/{train,val,test}/CLASS/FILE; images of
//	                                        val are training examples as those of train are
//	photos/metadata.csv, photos/.../FILE    labels in the columns file_name and label
//	photos.zip, photos.tar.gz               an archive of such a folder
//
// Images are JPEG, PNG, GIF, WebP, BMP or TIFF of any size up to 64 million pixels. They
// become squares of Source.Side pixels, or of 64, unless all have one size of at most 64 x
// 64. Where that is more than 4 GiB, they are read as Clothing1M's are, which needs a
// folder. [Check] looks for duplicates, broken files and small classes.
//
// Archives are streamed, never unpacked to disk; an archive with links, or with names
// that lead out of it, is refused. Data that takes long to unpack or decode is cached in
// the folder losscorr of the user's cache folder, in a file named after the hash of the
// archive; it may be deleted at any time.
//
// # Own data
//
// [OpenOwn] reads a user's own data, which a [Source] describes:
//
//	photos/, photos.zip                 CLASS/FILE, {train,val,test}/CLASS/FILE, or a metadata.csv
//	reviews.csv, .tsv, .jsonl, .parquet a column of text, or columns of numbers, and the label
//	X.npy, with y.npy, .csv or .txt     features [N D], or images of bytes [N H W C] or [N H W]
//
//	s := dataset.Source{Path: "reviews.csv", Text: "text", ID: "id", Split: "part"}
//	data, err := dataset.OpenOwn(ctx, s, dataset.Options{})
//	if err != nil {
//		return err // reviews.csv:17: ...
//	}
//	fmt.Println(data.Classes, data.Train.IDs[0], data.Words[:5])
//
// Labels are strings or whole numbers; 3.0 is the class 3. Those of a file of their own
// are joined by the examples' names where both files have them, else by order; names in
// the file of labels that are the numbers 0 to N-1 are those of the examples. Examples
// for validation belong to the training set. The commonest words of the training texts
// are the vocabulary, with the tokens of IMDB's. Features in float16 stay so, bytes stay
// bytes, and all others become float32. A label that is missing, a number that is NaN, and
// a class that only test examples have are errors.
//
// [ReadProbabilities] reads what another model says of the examples.
//
// # Values
//
// Pixels stay bytes; package pipeline scales them. Labels are as published; package
// correction adds noise later.
//
// [All] is the table of data sets, with everything that the rest of the program needs
// to know about each. A new data set is a file with its entry and its reader, and a
// line in All.
package dataset
