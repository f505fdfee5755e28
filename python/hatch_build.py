"""Names the platform of the wheel by the system that its libraries need."""

import re
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Platform(BuildHookInterface):
    def initialize(self, version, build_data):
        binaries = [p for p in Path(self.root, "losscorr", "bin").rglob("*") if p.is_file() and p.read_bytes()[:4] == b"\x7fELF"]
        if not binaries:
            raise SystemExit("losscorr/bin lacks the program: run make wheel")
        needed = max(int(n) for p in binaries for n in re.findall(rb"GLIBC_2\.(\d+)\x00", p.read_bytes()))
        machine = {62: "x86_64", 183: "aarch64"}[int.from_bytes(binaries[0].read_bytes()[18:20], "little")]
        build_data["tag"] = f"py3-none-manylinux_2_{max(needed, 17)}_{machine}"
        build_data["pure_python"] = False
