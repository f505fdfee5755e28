#!/bin/sh
# Builds the Python wheel: the program, its shim for one or several releases of libtorch, and
# the package in python/:
#
#   wheel.sh BUILD RELEASE...      "default" is the pinned release
#
# GO, JOBS and REVISION come from the Makefile. Two builds of a commit by the same compilers give the same bytes.
set -eu
cd "$(dirname "$0")/../.."
build=$1
shift
: "${GO:=go}" "${JOBS:=2}"
. .ci/versions
version=$(sed -n 's/^const Version = "\(.*\)"/\1/p' embed.go)
bin=python/losscorr/bin
rm -rf "$bin"
mkdir -p "$bin/shims" dist
rm -f "$build"/wheel/*/libtorch.dir

"$GO" build -trimpath -buildvcs=false -ldflags "-s -w -buildid= -X github.com/losscorr/losscorr/internal/store.linked=${REVISION:-}" -o "$bin/losscorr" ./cmd/losscorr
# The hash of cyclonedx-gomod is in its output: -trimpath makes it the same everywhere.
"$GO" run -trimpath "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@$CYCLONEDX_VERSION" bin \
	-json -std -noserial -notimestamp -version "v$version" -output python/losscorr.cdx.json "$bin/losscorr"

for release in "$@"; do
	work=$build/wheel/$release
	mkdir -p "$work"
	if [ "$release" = default ]; then
		cp "$build/libtorch.dir" "$work/"
	else
		"$GO" run ./torch/libtorch/cmd/libtorch -dir "$work/libtorch" -fetch "$release" -out "$work/libtorch.dir"
	fi
	libtorch=$(cat "$work/libtorch.dir")
	sh torch/libtorch/configure.sh . "$work/cmake" -DLIBTORCH="$libtorch" -DLOSSCORR_INSTALLED=../../../../torch -DLOSSCORR_OUT="$PWD/$work/out"
	cmake --build "$work/cmake" --parallel "$JOBS"
	torch=$(sed -n 's/^libtorch_version=\([^+]*\).*/\1/p' "$work/out/liblosscorr_shim.txt")
	mkdir -p "$bin/shims/$torch"
	cp "$work/out"/liblosscorr_* "$bin/shims/$torch/"
	strip --strip-unneeded "$bin/shims/$torch"/*.so
done

python3 -m venv "$build/wheel/venv"
"$build/wheel/venv/bin/python" -m pip install --quiet --disable-pip-version-check build==1.6.1
"$build/wheel/venv/bin/python" -m build --wheel --outdir dist python
