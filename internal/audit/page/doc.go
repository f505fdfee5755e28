// Package page writes an audit's report.html for people who know neither the method nor its
// symbols. The page shows first how many labels are wrong, then what to do, then which
// labels are wrong, with pictures of the worst examples. It is one file, has no scripts,
// loads nothing, and follows the reader's light or dark scheme.
//
//	folder, err := audit.Open("photos-audit")
//	...
//	err = page.Make(ctx, folder, nil)
package page
