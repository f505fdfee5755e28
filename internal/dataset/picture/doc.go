// Package picture turns files of images into pixels, a plane for each of red, green and blue: many
// of one size at once ([Job]), squares that are read as they are needed ([Files]), and previews.
package picture
