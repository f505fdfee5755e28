// Package page writes report.html of an audit: one HTML file for people who know
// neither the method nor its symbols. It says first how many labels are wrong, then
// which, and what to do; pictures of the worst examples are in the file. The page has no
// scripts, loads nothing, and follows the reader's light or dark scheme.
//
//	folder, err := audit.Open("photos-audit")
//	...
//	err = page.Make(ctx, folder, nil)
package page
