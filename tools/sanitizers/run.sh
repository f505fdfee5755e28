#!/bin/sh
# Runs a program with the shim that make has built with AddressSanitizer and
# UndefinedBehaviorSanitizer, for "go test -exec": run.sh PROGRAM [ARGUMENT...]
#
# libasan must be loaded first, and the C++ library right after it: libasan looks for the
# function that throws when it starts, long before Go opens the shim.
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
# Without intercept_tls_get_addr=0 the leak check sometimes ends in "Tracer caught signal 11":
# up to GCC 13 it mistakes a block of thread-local variables that starts 16 bytes into a page
# for one of glibc 2.19, and reads an invalid address and size
# (github.com/google/sanitizers/issues/1322).
export ASAN_OPTIONS="detect_leaks=1:intercept_tls_get_addr=0:allocator_may_return_null=1:${ASAN_OPTIONS:-}"
export LSAN_OPTIONS="suppressions=$here/leak.supp:print_suppressions=0"
export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1:suppressions=$here/undefined.supp"
export LD_PRELOAD="$asan $("${CXX:-c++}" -print-file-name=libstdc++.so)"
exec "$@"
