#!/bin/sh
# Names what is missing to build losscorr, with the lines that install it.
#
#   prerequisites.sh go make cmake c++ python3
#
# For each tool asked for, one line on stdout: name, ok or missing, and what was
# found, between tabs. Exit status 1 and instructions on stderr if one is missing.
# make runs it before anything else, losscorr doctor and setup from inside the
# program.
set -u

missing=
tab=$(printf '\t')

found() { printf '%s\tok\t%s\n' "$1" "$2"; }
lacks() {
	printf '%s\tmissing\t%s\n' "$1" "$2"
	missing="$missing$1$tab$2
"
}

on_path() { command -v "$1" 2>/dev/null; }

# at_least VERSION MAJOR.MINOR: whether VERSION is not older.
at_least() {
	awk -v have="$1" -v want="$2" 'BEGIN {
		split(have, h, "."); split(want, w, ".")
		exit !(h[1] + 0 > w[1] + 0 || (h[1] + 0 == w[1] + 0 && h[2] + 0 >= w[2] + 0))
	}'
}

check_go() {
	path=$(on_path go) || { lacks go "not on the PATH"; return; }
	version=$(go env GOVERSION 2>/dev/null | sed 's/^go//; s/[^0-9.].*//')
	# From 1.21 on, go fetches the toolchain that go.mod names.
	if at_least "${version:-0}" 1.21; then found go "$path $version"
	else lacks go "$path is ${version:-of unknown version}, 1.21 is needed (it fetches the toolchain that go.mod names)"; fi
}

check_make() {
	path=$(on_path make) && found make "$path" || lacks make "not on the PATH"
}

check_cmake() {
	path=$(on_path cmake) || { lacks cmake "not on the PATH"; return; }
	version=$(cmake --version 2>/dev/null | sed -n 's/^cmake version \([0-9.]*\).*/\1/p')
	if at_least "${version:-0}" 3.18; then found cmake "$path $version"
	else lacks cmake "$path is ${version:-of unknown version}, 3.18 is needed"; fi
}

# CMake takes $CXX, else the first of these on the PATH.
check_cxx() {
	for name in ${CXX:-c++ g++ clang++}; do
		path=$(on_path "$name") && break
		path=
	done
	if [ -z "$path" ]; then lacks c++ "no compiler (${CXX:-c++, g++, clang++}) on the PATH"; return; fi
	if printf '#include <concepts>\n#include <span>\nstatic_assert(std::integral<int> && __cplusplus >= 202002L);\n' |
		"$path" -std=c++20 -x c++ -fsyntax-only - >/dev/null 2>&1; then
		found c++ "$path $("$path" -dumpfullversion -dumpversion 2>/dev/null | head -n 1)"
	else lacks c++ "$path does not compile C++20"; fi
}

check_python3() {
	path=$(on_path python3) || { lacks python3 "not on the PATH"; return; }
	if version=$(python3 -c 'import sys, pip; print("%d.%d" % sys.version_info[:2], "with pip", pip.__version__)' 2>/dev/null); then
		found python3 "$path $version"
	else lacks python3 "$path has no pip"; fi
}

# package TOOL SYSTEM: what installs it there.
package() {
	case $2:$1 in
	debian:c++) echo g++ ;;
	debian:python3) echo python3 python3-pip ;;
	debian:go) echo golang-go ;;
	fedora:c++) echo gcc-c++ ;;
	fedora:python3) echo python3 python3-pip ;;
	fedora:go) echo golang ;;
	macos:c++ | macos:make) ;;
	macos:python3) echo python ;;
	*) echo "$1" ;;
	esac
}

advise() {
	echo "missing on this machine:"
	printf '%s' "$missing" | while IFS=$tab read -r tool why; do echo "  $tool: $why"; done
	tools=$(printf '%s' "$missing" | cut -f 1)
	echo "install with:"
	for system in debian fedora macos; do
		names=
		for tool in $tools; do names="$names $(package "$tool" $system)"; done
		names=$(echo $names)
		case $system in
		debian) echo "  Debian, Ubuntu:  sudo apt-get install $names" ;;
		fedora) echo "  Fedora:          sudo dnf install $names" ;;
		macos)
			line=${names:+brew install $names}
			case " $(echo $tools) " in
			*" c++ "* | *" make "*) line="xcode-select --install${line:+ && $line}" ;;
			esac
			echo "  macOS:           $line"
			;;
		esac
	done
	case " $(echo $tools) " in
	*" go "*) echo "Where the system's Go is older than 1.21 (Debian 12), take it from https://go.dev/dl/" ;;
	esac
}

for tool in "$@"; do
	case $tool in
	go) check_go ;;
	make) check_make ;;
	cmake) check_cmake ;;
	c++) check_cxx ;;
	python3) check_python3 ;;
	*) echo "prerequisites.sh: unknown tool $tool" >&2; exit 2 ;;
	esac
done
[ -z "$missing" ] && exit 0
advise >&2
exit 1
