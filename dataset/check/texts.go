package check

import (
	"math"
	"slices"
)

// sketch is the least hashes of the shingles of a text, one of each of sketchSize parts
// of them: Li, Owen and Zhang, "One Permutation Hashing", NIPS 2012. Two sketches agree
// in as many values as the texts share shingles, on average.
type sketch [sketchSize]uint32

const (
	sketchSize  = 64
	shingle     = 3  // words
	bandRows    = 4  // values that agree for two texts to be compared
	nearJaccard = .8 // share of common shingles from which two texts are nearly equal
)

// newSketch takes the words of a text, with zeros in front of it.
func newSketch(words []int32) (s sketch) {
	for k := range s {
		s[k] = math.MaxUint32
	}
	for _, h := range shingles(words) {
		part, value := h>>58, uint32(h)
		s[part] = min(s[part], value)
	}
	// A part without a shingle takes the value of the next that has one.
	last := uint32(math.MaxUint32)
	for k := 2*sketchSize - 1; k >= 0; k-- {
		if v := &s[k%sketchSize]; *v == math.MaxUint32 {
			*v = last
		} else {
			last = *v
		}
	}
	return s
}

// shingles returns the hashes of each three words in a row; of a shorter text, that of
// the whole.
func shingles(words []int32) []uint64 {
	for len(words) > 0 && words[0] == 0 {
		words = words[1:]
	}
	n := min(shingle, len(words))
	hashes := make([]uint64, 0, len(words))
	for k := 0; k+n <= len(words) && n > 0; k++ {
		h := uint64(1)
		for _, w := range words[k : k+n] {
			h = mix(h ^ uint64(uint32(w)))
		}
		hashes = append(hashes, h)
	}
	return hashes
}

// mix is the finalizer of SplitMix64, a bijection.
func mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// nearTexts calls pair with pairs of nearly equal texts among some. Those with four
// values in a row of their sketches in common are compared: at a share of .8 of common
// shingles all but 2 in 10,000 of the pairs are.
func nearTexts(sketches []sketch, words func(k int32) []int32, among []int32, pair func(a, b int32)) {
	for from := 0; from < sketchSize; from += bandRows {
		buckets := make(map[[bandRows]uint32][]int32, len(among))
		for _, k := range among {
			key := [bandRows]uint32(sketches[k][from:])
			if key[0] == math.MaxUint32 {
				continue // no word at all
			}
			// One of a bucket stands for those that are nearly equal to it.
			near := slices.IndexFunc(buckets[key], func(o int32) bool {
				return similar(&sketches[o], &sketches[k]) && jaccard(words(o), words(k)) >= nearJaccard
			})
			if near >= 0 {
				pair(buckets[key][near], k)
				continue
			}
			if len(buckets[key]) < maxBucket {
				buckets[key] = append(buckets[key], k)
			}
		}
	}
}

// maxBucket bounds the work for texts that share a phrase and differ otherwise.
const maxBucket = 64

// similar reports whether two texts may be nearly equal: the share of values in common
// is far below nearJaccard for few pairs that are.
func similar(a, b *sketch) bool {
	same := 0
	for k, v := range a {
		if v == b[k] {
			same++
		}
	}
	return same >= sketchSize/2
}

// jaccard is the share of common shingles.
func jaccard(a, b []int32) float64 {
	in := map[uint64]bool{}
	for _, h := range shingles(a) {
		in[h] = false
	}
	total, common := len(in), 0
	for _, h := range shingles(b) {
		counted, ok := in[h]
		switch {
		case !ok:
			total++
			in[h] = true
		case !counted:
			common++
			in[h] = true
		}
	}
	return float64(common) / float64(max(1, total))
}
