#!/bin/sh
# Makes a release in BUILD/release: the wheel, an archive of the same program with its
# guides, the program's bill of materials in CycloneDX's format, and SHA256SUMS.
#
#   release.sh BUILD
#
# Two releases of one commit by the same compilers are equal byte for byte: make -f .ci/checks.mk release-check.
set -eu
cd "$(dirname "$0")/../.."
out=$1/release
version=$(sed -n 's/^const Version = "\(.*\)"/\1/p' embed.go)
name=losscorr-$version-$(go env GOOS)-$(go env GOARCH)
sh tools/release/notices.sh | cmp -s - THIRD_PARTY_NOTICES.txt || {
	echo 'THIRD_PARTY_NOTICES.txt is out of date: run make notices' >&2
	exit 1
}
rm -rf "$out" dist/losscorr-"$version"-*.whl
make --no-print-directory wheel BUILD="$1" RELEASE=default
umask 022
export LC_ALL=C TZ=UTC
mkdir -p "$out/$name"

cp python/losscorr/bin/losscorr "$out/$name/"
cp python/losscorr.cdx.json "$out/$name.cdx.json"
# Only files of the commit, with the same permissions whatever the checkout's umask.
git archive HEAD README.md CHANGELOG.md CITATION.cff LICENSE THIRD_PARTY_NOTICES.txt docs \
	':(glob)results/**/*.md' ':(glob)results/*.png' | tar -x -C "$out/$name"
chmod -R u=rwX,go=rX "$out/$name"
tar --sort=name --owner=0 --group=0 --numeric-owner --format=ustar --mtime="@$(git log -1 --format=%ct)" \
	-C "$out" -cf - "$name" | gzip -9n >"$out/$name.tar.gz"
rm -r "${out:?}/$name"
cp dist/losscorr-"$version"-*.whl "$out/"
cd "$out"
sha256sum ./*.cdx.json ./*.tar.gz ./*.whl | sed 's#\./##' >SHA256SUMS
cat SHA256SUMS
