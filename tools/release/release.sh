#!/bin/sh
# Puts a release together in BUILD/release: the wheel of dist/, an archive of the same
# program with its guides, the bill of materials of the program in CycloneDX's form, and
# SHA256SUMS. "make release" builds the wheel first.
#
#   release.sh BUILD VERSION NAME        NAME is that of the archive, losscorr-VERSION-SYSTEM-MACHINE
#
# Two releases of one commit by the same compilers are equal byte for byte: make -f .ci/checks.mk release-check.
set -eu
umask 022
export LC_ALL=C TZ=UTC
cd "$(dirname "$0")/../.."
out=$1/release
name=$3
wheel=dist/losscorr-$2-*.whl
rm -rf "$out"
mkdir -p "$out/$name"

cp python/losscorr/bin/losscorr "$out/$name/"
cp python/losscorr.cdx.json "$out/$name.cdx.json"
# Only files of the commit, with equal rights whatever the umask of the checkout.
git archive HEAD README.md CHANGELOG.md CITATION.cff LICENSE THIRD_PARTY_NOTICES.txt docs | tar -x -C "$out/$name"
chmod -R u=rwX,go=rX "$out/$name"
tar --sort=name --owner=0 --group=0 --numeric-owner --format=ustar --mtime="@$(git log -1 --format=%ct)" \
	-C "$out" -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
rm -r "${out:?}/$name"
# shellcheck disable=SC2086 # a pattern
cp $wheel "$out/"
cd "$out"
sha256sum ./*.cdx.json ./*.tar.gz ./*.whl | sed 's#\./##' >SHA256SUMS
cat SHA256SUMS
