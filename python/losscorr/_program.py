"""Find and call the program."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_packaged = Path(__file__).parent / "bin" / "losscorr"


class Error(RuntimeError):
    """The program's message. code is its exit code: 2 usage, 65 bad data, 69 no libtorch, 78 bad settings."""

    def __init__(self, message: str, code: int):
        super().__init__(message)
        self.code = code


def program() -> str:
    """Returns the path of the program: $LOSSCORR_PROGRAM, the one in this package, or the one on the PATH."""
    named = os.environ.get("LOSSCORR_PROGRAM")
    if named:
        return named
    if _packaged.exists():
        return str(_packaged)
    found = shutil.which("losscorr")
    if found is None:
        raise Error("the program losscorr was not found: install the wheel, or set LOSSCORR_PROGRAM to its path", 69)
    return found


def run(*arguments: str, progress: bool = True) -> str:
    """Calls the program and returns its standard output.

    Progress and warnings appear on Python's standard error, in notebooks below the cell. Raises Error with the
    program's last message. Ctrl-C ends the program before Python continues.
    """
    said: list[str] = []
    with tempfile.TemporaryFile("w+") as output:  # a pipe could fill up before standard error ends
        process = subprocess.Popen([program(), *arguments], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, text=True)
        with process:
            try:
                for line in process.stderr:
                    said.append(line)
                    if progress and not line.startswith("losscorr: "):
                        print(line, end="", file=sys.stderr)
            except BaseException:
                process.terminate()  # it writes a checkpoint
                raise
        code = process.returncode
        output.seek(0)
        text = output.read()
    if code != 0:
        raise Error(message(said) or f"losscorr ended with code {code}", code)
    return text


def message(lines: list[str]) -> str:
    """Returns the error message in the program's output, which starts with "losscorr: "."""
    for k in reversed(range(len(lines))):
        if lines[k].startswith("losscorr: "):
            return "".join(lines[k:]).strip().removeprefix("losscorr: ")
    return "".join(lines[-5:]).strip()


def main() -> None:
    """Runs the command losscorr of this package: replaces Python with the program."""
    path = program()
    os.execv(path, [path, *sys.argv[1:]])
