// Package validate has Kubernetes itself check the manifests in ../testdata, which package kubernetes writes. It is a
// separate module, so that losscorr does not depend on Kubernetes; make test-kubernetes runs its tests.
package validate
