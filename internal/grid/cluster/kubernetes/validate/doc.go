// Package validate has Kubernetes itself check the manifests in ../testdata, which are
// those that package kubernetes writes. It is a module of its own, so that losscorr does
// not depend on Kubernetes; make test-kubernetes runs its tests.
package validate
