#!/bin/sh
# Prints THIRD_PARTY_NOTICES.txt, which the program prints for losscorr version --licences: the licences of Go and of
# all modules linked into the programs.
#
#   sh tools/release/notices.sh > THIRD_PARTY_NOTICES.txt
set -eu
export GOOS=linux GOARCH=amd64 LC_ALL=C

cat <<'HEADING'
losscorr is under the Apache License 2.0. Its programs contain code of the projects below, under their licences, and
MNIST by Yann LeCun and Corinna Cortes under CC BY-SA 3.0 (https://creativecommons.org/licenses/by-sa/3.0/). libtorch is
not part of the programs; its notices are in the folder torch-*.dist-info of its wheel, which images hold.
HEADING

# legal MODULE VERSION ROOT DIR prints "MODULE VERSION FILE" for each legal file in DIR, in the folders above it and in
# ROOT/licenses.
legal() {
	dir=$4
	while :; do
		find "$dir" $([ "$dir" != "$3" ] || find "$3/licenses" -maxdepth 0 2>/dev/null) -maxdepth 1 -type f -iregex '.*/\(licen[cs]e\|copying\|notice\|unlicense\|patents\|ftl\)\([.-].*\)?' \
			-printf "$1 $2 %p\n"
		[ "$dir" != "$3" ] || break
		dir=${dir%/*}
	done
}

{
	legal Go 'standard library' "$(go env GOROOT)" "$(go env GOROOT)" | sed 's/standard library/-/'
	go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}} {{$.Dir}}{{end}}{{end}}' ./cmd/... ./experiments/... |
		while read -r module version root dir; do legal "$module" "$version" "$root" "$dir"; done
} | sort -u | while read -r module version file; do
	printf '\n%s\n%s %s, %s\n%s\n\n' "================================================================" "$module" "$version" "${file##*/}" \
		"----------------------------------------------------------------"
	tr -d '\r\f' <"$file" | sed 's/[ \t]*$//'
done
