#!/bin/sh
# Configures a folder for CMake, and empties one that was configured elsewhere, which CMake would refuse:
#
#   configure.sh SOURCE FOLDER [OPTION...]
set -eu
cd -P .
mkdir -p "$2"
source=$(cd "$1" && pwd -P)
folder=$(cd "$2" && pwd -P)
shift 2
for line in "CMAKE_HOME_DIRECTORY:INTERNAL=$source" "CMAKE_CACHEFILE_DIR:INTERNAL=$folder"; do
	grep -qsxF "$line" "$folder/CMakeCache.txt" || rm -rf "$folder"
done
if [ -e "$folder" ]; then exec >/dev/null; fi
if command -v ninja >/dev/null; then export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"; fi
exec cmake -S "$source" -B "$folder" "$@"
