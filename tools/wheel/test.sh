#!/bin/sh
# Installs dist/losscorr-*.whl into new environments as pip would, and runs python/tests in
# each: without torch, and beside the torch of build/libtorch.
#
#   test.sh BUILD
set -eu
cd "$(dirname "$0")/../.."
build=$1
unset LOSSCORR_SHIM LOSSCORR_PROGRAM LIBTORCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
libtorch=$(cat "$build/libtorch.dir")
tests=$PWD/python/tests

for torch in without with; do
	python3 -m venv "$work/$torch"
	python=$work/$torch/bin/python
	"$python" -m pip install --quiet --disable-pip-version-check dist/losscorr-*.whl pytest==9.0.2 pandas
	if [ $torch = with ]; then
		ln -s "$libtorch" "$("$python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')/torch"
	fi
	# Neither this project's build folder nor a cache may serve in place of the wheel.
	(cd "$work" && HOME=$work XDG_CACHE_HOME=$work/cache PATH="$work/$torch/bin:/usr/bin:/bin" LOSSCORR_TEST_TORCH=$torch \
		"$python" -m pytest -q -p no:cacheprovider "$tests")
done
