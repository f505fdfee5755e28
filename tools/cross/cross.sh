#!/bin/sh
# Compiles the shim's sources and the Go half for other systems with zig, which includes
# the C and C++ headers of each:
#
#   cross.sh LIBTORCH [TARGET...]      default targets: aarch64-macos and aarch64-linux-gnu
#
# LIBTORCH is the folder of any libtorch, since the headers are the same everywhere. Nothing
# is linked, since the libraries of those systems are missing here. zig is $ZIG, the one on
# the PATH, or python3's: python3 -m pip install ziglang
set -eu
libtorch=$1
shift
[ $# -gt 0 ] || set -- aarch64-macos aarch64-linux-gnu
[ -d "$libtorch/include" ] || libtorch=$libtorch/torch
cd "$(dirname "$0")/../.."

if [ -n "${ZIG:-}" ]; then
	:
elif command -v zig >/dev/null; then
	ZIG=zig
elif python3 -c 'import ziglang' 2>/dev/null; then
	ZIG='python3 -m ziglang'
else
	echo 'no zig here: python3 -m pip install ziglang, or ZIG=PROGRAM' >&2
	exit 69
fi
out=$(mktemp -d)
# Go compiles standard input to probe the compiler, for which zig writes "-.o".
trap 'rm -rf "$out" ./-.o' EXIT
export ZIG libtorch out

for target in "$@"; do
	export target
	case $target in
	aarch64-macos) system=darwin ;;
	aarch64-linux-*) system=linux ;;
	*)
		echo "target $target: expected aarch64-macos or aarch64-linux-gnu" >&2
		exit 64
		;;
	esac
	echo "$target: the shim"
	# Warnings of the shim's own sources count, as in its build.
	find cgo/shim -name '*.cpp' ! -name 'cuda*.cpp' | sort | xargs -P "${JOBS:-2}" -I {} sh -c '
		$ZIG c++ -target $target -std=c++20 -O0 -c -Wall -Wextra -Werror -fPIC -Icgo -Icgo/shim \
			-isystem "$libtorch/include" -isystem "$libtorch/include/torch/csrc/api/include" \
			-o "$out/$(basename {}).o" {} || { echo "{} does not compile for $target" >&2; exit 1; }'
	echo "$target: the Go half"
	printf '#!/bin/sh\nexec %s cc -target %s "$@"\n' "$ZIG" "$target" >"$out/cc"
	chmod +x "$out/cc"
	CGO_ENABLED=1 GOOS=$system GOARCH=arm64 CC="$out/cc" go vet ./...
done
