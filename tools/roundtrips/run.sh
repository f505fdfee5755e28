#!/bin/sh
# Tries label tools of tools.txt, each in an environment of its own, and prints the table of
# the round trips, which it also writes to a file:
#
#   run.sh BUILD OUT.csv [PATTERN]      those lines of tools.txt that match PATTERN alone
#
# PYTHON makes the environments, which are kept in BUILD/round-trips.
set -eu
cd "$(dirname "$0")/../.."
build=$(mkdir -p "$1/round-trips" && cd "$1" && pwd)
out=$2
revision=$(git rev-parse --short HEAD)
git diff --quiet HEAD -- '*.go' tools/roundtrips || revision=$revision-modified
export LOSSCORR_PROGRAM="$build/losscorr" LOSSCORR_REVISION="$revision" ROUND_TRIPS="$build/round-trips/table.csv" FIFTYONE_DO_NOT_TRACK=1
: >"$ROUND_TRIPS"
grep -v '^#' tools/roundtrips/tools.txt | grep -e "${3:-.}" | while read -r test packages; do
	venv=$build/round-trips/$(echo "$packages" | tr -c 'a-z0-9.\n-' _)
	if [ ! -f "$venv/made" ]; then
		rm -rf "$venv"
		"${PYTHON:-python3}" -m venv "$venv"
		# shellcheck disable=SC2086 # several packages
		"$venv/bin/python" -m pip install --quiet --disable-pip-version-check $packages pytest==9.0.2
		touch "$venv/made"
	fi
	"$venv/bin/python" -m pytest -q -p no:cacheprovider -c tools/roundtrips/pytest.ini "tools/roundtrips/$test" </dev/null >&2
done
{
	echo tool,version,form,labels,same_without_decisions,changed,read_back,date,program,revision,cpu
	sort "$ROUND_TRIPS"
} >"$build/round-trips/sorted.csv"
cp "$build/round-trips/sorted.csv" "$out"
cat "$out"
