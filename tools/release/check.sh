#!/bin/sh
# Builds the release of HEAD here and again in a clone, in a folder of another name, under
# another umask, locale, time zone and number of jobs, and compares the files byte for byte.
#
#   check.sh BUILD
set -eu
cd "$(dirname "$0")/../.."
build=$1
if [ -n "$(git status --porcelain --untracked-files=no)" ]; then
	echo "a release is that of a commit, and files here are changed: commit them first (git status)" >&2
	exit 1
fi
make --no-print-directory release
work=$(mktemp -d "$build/release-check.XXXXXX") # beside what was fetched, where there is room
trap 'rm -rf "$work"' EXIT
clone=$work/another/folder
git clone --quiet --no-hardlinks . "$clone"
git -C "$clone" checkout --quiet --detach "$(git rev-parse HEAD)"
(
	umask 077
	unset MAKEFLAGS
	export LC_ALL=C.UTF-8 TZ=Pacific/Auckland
	cd "$clone"
	make --no-print-directory release RELEASES="${RELEASES:-default}" JOBS=1
)
if ! diff -r "$build/release" "$clone/build/release"; then
	echo "two builds of $(git rev-parse HEAD) differ" >&2
	exit 1
fi
echo "two builds of $(git rev-parse HEAD) are equal byte for byte"
