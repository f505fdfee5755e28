#!/bin/sh
# Tests build/losscorr with the label tools of tools.txt, each in its own environment in build/round-trips, and prints
# the table of the round trips for the lines that match PATTERN:
#
#   benchmarks/roundtrips/run.sh [PATTERN] >results/audit/round-trips.csv
set -eu
cd "$(dirname "$0")/../.."
export LOSSCORR_PROGRAM="$PWD/build/losscorr" ROUND_TRIPS="$PWD/build/round-trips/table.csv" FIFTYONE_DO_NOT_TRACK=1
mkdir -p build/round-trips
: >"$ROUND_TRIPS"
grep -v '^#' benchmarks/roundtrips/tools.txt | grep -e "${1:-.}" | while read -r test packages; do
	venv=build/round-trips/$(echo "$packages" | tr -c 'a-z0-9.\n-' _)
	"${PYTHON:-python3}" -m venv "$venv"
	# shellcheck disable=SC2086 # several packages
	"$venv/bin/python" -m pip install --quiet --disable-pip-version-check $packages pytest==9.0.2
	"$venv/bin/python" -m pytest -q -W ignore -p no:cacheprovider "benchmarks/roundtrips/$test" </dev/null >&2
done
echo tool,version,form,labels,same_without_decisions,changed,read_back,date,program,revision,cpu
sort "$ROUND_TRIPS"
