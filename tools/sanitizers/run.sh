#!/bin/sh
# Runs a program with the shim that make has built with AddressSanitizer and
# UndefinedBehaviorSanitizer, as "go test -exec" wants it: run.sh PROGRAM [ARGUMENT...]
#
# libasan stands before everything, and the C++ library right after it: libasan looks
# for the function that throws when it starts, long before Go opens the shim.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
asan=$("${CXX:-c++}" -print-file-name=libasan.so)
case $asan in
/*) ;;
*)
	echo "no libasan for ${CXX:-c++}: on Debian it comes with g++" >&2
	exit 69
	;;
esac
export LOSSCORR_REQUIRE_LIBTORCH=1
export LOSSCORR_SHIM="${SHIM:-$here/../../build/sanitize}/liblosscorr_shim.so"
export ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1:${ASAN_OPTIONS:-}"
export LSAN_OPTIONS="suppressions=$here/leak.supp:print_suppressions=0"
export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1:suppressions=$here/undefined.supp"
export LD_PRELOAD="$asan $("${CXX:-c++}" -print-file-name=libstdc++.so)"
exec "$@"
