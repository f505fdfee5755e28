// Package scopes lets package torchtest begin a scope that ends later.
package scopes

// Enter begins a scope of the calling goroutine, which leave ends. Package torch sets it.
var Enter func() (leave func())
