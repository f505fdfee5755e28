// Package picture turns image files into pixels, with a plane for each of red, green and blue. A
// [Job] decodes many images to one size, [Files] streams squares, and [Preview] makes previews.
package picture
