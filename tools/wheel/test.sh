#!/bin/sh
# Installs dist/losscorr-*.whl into new environments with pip, and runs python/tests in each:
# without torch, and with torch of each release that make wheel built a shim for.
#
#   test.sh BUILD
set -eu
cd "$(dirname "$0")/../.."
build=$1
unset LOSSCORR_SHIM LOSSCORR_PROGRAM LIBTORCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests=$PWD/python/tests

# NAME of the environment, LIBTORCH or nothing; with torch, cleanlab is also installed.
try() {
	printf '\n%s\n' "$1"
	python3 -m venv "$work/$1"
	python=$work/$1/bin/python
	"$python" -m pip install --quiet --disable-pip-version-check dist/losscorr-*.whl pytest==9.0.2 pandas ${2:+'cleanlab[datalab]==2.9.0'}
	if [ -n "$2" ]; then
		ln -s "$2" "$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/torch"
	fi
	# Hide this project's build folder and caches, so that only the wheel is tested.
	(cd "$work" && HOME=$work XDG_CACHE_HOME=$work/cache PATH="$work/$1/bin:/usr/bin:/bin" LOSSCORR_TEST_TORCH="${2:+with}" \
		"$python" -m pytest -q -p no:cacheprovider -rs "$tests")
}

try without-torch ""
for dir in "$build"/wheel/*/libtorch.dir; do
	try "torch-$(basename "$(dirname "$dir")")" "$(cat "$dir")"
done
