package check

import "math/bits"

// thumbnail is the part of an image that is compared: planes of 12 x 12 pixels.
type thumbnail struct {
	planes [3][thumbSize]byte
	square int // sum of squared differences from the planes' means
}

const (
	thumbSide = 12
	thumbSize = thumbSide * thumbSide

	// Two images are nearly equal if their hashes differ in at most nearBits bits, and the
	// squared difference of their thumbnails is at most nearShare of the variance of both.
	// Copies with other compression or size are; two pictures of one thing are not.
	nearBits  = 7
	nearShare = .01
)

// newThumbnail returns the thumbnail of an image's planes.
func newThumbnail(planes []byte, shape []int) (t thumbnail) {
	h, w := shape[1], shape[2]
	for c := range t.planes {
		plane, to := planes[min(c, shape[0]-1)*h*w:][:h*w], &t.planes[c]
		sum, squares := 0, 0
		for k := range to {
			v := boxMean(plane, w, h, k%thumbSide, k/thumbSide)
			to[k] = byte(v)
			sum += v
			squares += v * v
		}
		t.square += squares - sum*sum/thumbSize
	}
	return t
}

// boxMean returns the mean of the pixels under the thumbnail's pixel x, y.
func boxMean(plane []byte, w, h, x, y int) int {
	x0, y0 := x*w/thumbSide, y*h/thumbSide
	x1, y1 := max((x+1)*w/thumbSide, x0+1), max((y+1)*h/thumbSide, y0+1)
	sum, n := 0, (x1-x0)*(y1-y0)
	for row := y0; row < y1; row++ {
		for _, v := range plane[row*w+x0 : row*w+x1] {
			sum += int(v)
		}
	}
	return (sum + n/2) / n
}

// near reports whether two images are nearly equal. An image without contrast is near to
// none.
func (t *thumbnail) near(o *thumbnail) bool {
	difference, most := 0, int(nearShare*float64(min(t.square, o.square)))
	for c := range t.planes {
		for k, v := range t.planes[c] {
			d := int(v) - int(o.planes[c][k])
			difference += d * d
		}
		if difference > most {
			return false
		}
	}
	return t.square > 0
}

// imageHashes returns a hash of each thumbnail: the signs of 64 random projections of its
// difference from the mean thumbnail (Charikar, "Similarity Estimation Techniques from
// Rounding Algorithms", STOC 2002). They separate pictures with large areas of one value,
// such as digits, better than signs of differences of neighbouring pixels, which are mostly
// equal for these.
func imageHashes(images []thumbnail) []uint64 {
	var mean [thumbSize]int
	grey := func(t *thumbnail, k int) int { return int(t.planes[0][k]) + int(t.planes[1][k]) + int(t.planes[2][k]) }
	for i := range images {
		for k := range mean {
			mean[k] += grey(&images[i], k)
		}
	}
	for k := range mean {
		mean[k] /= len(images)
	}
	hashes := make([]uint64, len(images))
	for i := range images {
		// The projections are on vectors of -1 and 1; bit j of signs is for vector j.
		var sums [64]int
		for k := range mean {
			v, signs := grey(&images[i], k)-mean[k], mix(uint64(k))
			for j := range sums {
				sums[j] += v * (1 - 2*int(signs>>j&1))
			}
		}
		for j, sum := range sums {
			if sum > 0 {
				hashes[i] |= 1 << j
			}
		}
	}
	return hashes
}

// If two hashes differ in at most 7 bits, one of their four parts differs in at most one
// bit.
const (
	hashParts = 4
	partBits  = 64 / hashParts
)

// nearImages calls pair for the pairs of nearly equal images among some. It compares an
// image with those that share one part of its hash up to one bit.
func nearImages(images []thumbnail, among []int32, pair func(a, b int32)) {
	hashes := imageHashes(images)
	for shift := 0; shift < 64; shift += partBits {
		part := func(k int32) uint16 { return uint16(hashes[k] >> shift) }
		same := make([][]int32, 1<<partBits) // images by the part
		for _, k := range among {
			same[part(k)] = append(same[part(k)], k)
		}
		for _, a := range among {
			for bit := range partBits + 1 {
				for _, b := range same[part(a)^uint16(1<<bit)] { // 1<<16 is 0: the part itself
					if b > a && bits.OnesCount64(hashes[a]^hashes[b]) <= nearBits && images[a].near(&images[b]) {
						pair(a, b)
					}
				}
			}
		}
	}
}

// mix is the finalizer of SplitMix64, a bijection.
func mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
