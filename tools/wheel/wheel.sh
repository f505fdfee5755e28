#!/bin/sh
# Builds the Python wheel: the program, its shim for one or several releases of libtorch, and
# the package in python/:
#
#   wheel.sh BUILD RELEASE...      "default" is the pinned release
#
# GO, CMAKE, GENERATOR, JOBS, CYCLONEDX, VERSION and STAMP are those of the Makefile. Two builds of one commit
# by the same compilers give the same bytes.
set -eu
cd "$(dirname "$0")/../.."
build=$1
shift
: "${GO:=go}" "${CMAKE:=cmake}" "${JOBS:=2}"
bin=python/losscorr/bin
rm -rf "$bin"
mkdir -p "$bin/shims" dist
rm -f "$build"/wheel/*/libtorch.dir

"$GO" build -trimpath -buildvcs=false -ldflags "-s -w -buildid= ${STAMP:-}" -o "$bin/losscorr" ./cmd/losscorr
"$CYCLONEDX" bin -json -std -noserial -notimestamp -version "v$VERSION" -output python/losscorr.cdx.json "$bin/losscorr"

for release in "$@"; do
	work=$build/wheel/$release
	mkdir -p "$work"
	if [ "$release" = default ]; then
		cp "$build/libtorch.dir" "$work/"
	else
		"$GO" run ./torch/libtorch/cmd/libtorch -dir "$work/libtorch" -fetch "$release" -out "$work/libtorch.dir"
	fi
	libtorch=$(cat "$work/libtorch.dir")
	# shellcheck disable=SC2086 # GENERATOR is two words
	"$CMAKE" -S . -B "$work/cmake" ${GENERATOR:-} -DLIBTORCH="$libtorch" -DLOSSCORR_INSTALLED=../../../../torch -DLOSSCORR_OUT="$PWD/$work/out"
	"$CMAKE" --build "$work/cmake" --parallel "$JOBS"
	version=$(sed -n 's/^libtorch_version=\([^+]*\).*/\1/p' "$work/out/liblosscorr_shim.txt")
	mkdir -p "$bin/shims/$version"
	cp "$work/out"/liblosscorr_* "$bin/shims/$version/"
	strip --strip-unneeded "$bin/shims/$version"/*.so
done

python3 -m venv "$build/wheel/venv"
"$build/wheel/venv/bin/python" -m pip install --quiet --disable-pip-version-check build==1.6.1
"$build/wheel/venv/bin/python" -m build --wheel --outdir dist python
