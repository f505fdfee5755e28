// Package published reads public data sets in their published formats.
//
// Open takes the name of a data set and returns its training and test splits. It looks for the
// files in the given folder, then in $LOSSCORR_DATA, ./data, the user's cache folder and the
// program itself, and checks every byte. If it finds none, it downloads the data set from its
// official address, unless Options.Offline is set or $LOSSCORR_OFFLINE is 1 or true:
//
//	data, err := published.Open("cifar10", dataset.Options{})
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
// The JPEG or PNG files of the CIFARs are copies in train/CLASS/FILE and test/CLASS/FILE, with
// the official names of the classes (train/aquarium_fish/0001.jpg), in cifar10-jpeg.tar.gz and
// cifar100-jpeg.tar.gz or in folders cifar10-jpeg and cifar100-jpeg. Dataset.Variant names the
// copy; the official files come first.
//
// Clothing1M is too large for memory, so its splits have Images. A photograph is scaled so that
// its short side has 256 pixels, and the middle of the long side is kept, as torchvision's
// Resize(256) and CenterCrop(256) do. Up to Options.MaxBad missing or broken images are
// replaced by grey ones.
//
// [All] is the table of data sets, with everything that the rest of the program needs about
// each. To add one, write a file with its entry and reader, and add a line to All.
package published
