package own

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/losscorr/losscorr/internal/dataset"
	"github.com/losscorr/losscorr/internal/dataset/archive"
	"github.com/losscorr/losscorr/internal/dataset/datasettest"
	"github.com/losscorr/losscorr/internal/expect"
)

// allocates returns the MiB that f allocates in all.
func allocates(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) >> 20
}

// lateTIFF is a TIFF of size bytes whose directory is at its end.
func lateTIFF(size int) string {
	raw := make([]byte, size)
	copy(raw, "II*\x00")
	binary.LittleEndian.PutUint32(raw[4:], uint32(size-2))
	return string(raw)
}

// An image beyond the limit is not read for its size: the directory of a TIFF may be at its end.
func TestOwnImagesLateTIFF(t *testing.T) {
	datasettest.Isolate(t)
	entries := append(datasettest.Shaded(t, "a/1.png", "b/1.png"), datasettest.Entry{Name: "b/2.tiff",
		Content: lateTIFF(2 * archive.MaxMember)})
	packed := datasettest.File(t, "own.zip", datasettest.Zip(t, entries))
	folder := datasettest.Album(t, entries...)
	clear(entries) // their contents count as memory
	for _, path := range []string{packed, folder} {
		var err error
		if got := allocates(func() { _, err = Read(t.Context(), Source{Path: path}, dataset.Options{}) }); got > 64 {
			t.Errorf("%s: %d MiB allocated", path, got)
		}
		expect.Says(t, err, "1 are missing or do not decode",
			fmt.Sprintf("b/2.tiff: %d bytes, want at most %d in one file", 2*archive.MaxMember, archive.MaxMember))
	}
}

// Files that wait to be decoded take bounded memory, however many there are.
func TestOwnImagesMany(t *testing.T) {
	datasettest.Isolate(t)
	entries := datasettest.Shaded(t, "a/1.png", "b/1.png")
	for k := range 3 {
		entries = append(entries, datasettest.Entry{Name: fmt.Sprintf("b/%d.gif", k), Content: strings.Repeat("\x00",
			archive.MaxMember)})
	}
	path := datasettest.File(t, "own.zip", datasettest.Zip(t, entries))
	refused(t, Source{Path: path}, 0, "3 are missing or do not decode")
}
