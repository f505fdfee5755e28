"""Writes golden.zip: arrays saved by numpy.save, whose version is in numpy.txt.

    python3 internal/npy/testdata/generate.py
"""
import io, pathlib, zipfile
import numpy as np

here = pathlib.Path(__file__).parent
arrays = {}
for code in "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8".split():
    for order in "<>":
        x = np.array([[0, 1, 2], [3, 100, 7]]).astype(order + code)
        if code[0] == "i":
            x[0, 1] = -5
        if code[0] == "f":
            x[0, 1] = -1.5
        arrays[("little-" if order == "<" else "big-") + code] = x
arrays["bool"] = np.array([[True, False, True], [False, True, True]])
arrays["fortran"] = np.asfortranarray(np.arange(24, dtype="f4").reshape(2, 3, 4))
arrays["fortran-column"] = np.asfortranarray(np.arange(3, dtype="f4").reshape(3, 1))
arrays["scalar"] = np.array(4.5)
arrays["empty"] = np.zeros((0, 7), "f4")
arrays["strings"] = np.array(["cat", "", "Straße"])
arrays["strings-big"] = np.array(["cat", "dog"]).astype(">U3")
arrays["bytes"] = np.array([b"cat", b"dogs"])
arrays["objects"] = np.array(["cat", None], object)
arrays["complex"] = np.array([1j])
arrays["dates"] = np.array(["2020-01-01"], "M8[D]")
arrays["records"] = np.array([(1, 2.0)], [("a", "i4"), ("b", "f4")])
halves = np.array([0, 6e-8, 6e-5, 1, 1.001, -2, 65504, np.inf, -np.inf], "f2")
arrays["halves"] = halves
arrays["halves-wide"] = halves.astype("f4")
with zipfile.ZipFile(here / "golden.zip", "w", zipfile.ZIP_DEFLATED) as z:
    def put(name, data):
        z.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)
    for name, x in arrays.items():
        b = io.BytesIO()
        np.save(b, x)
        put(name + ".npy", b.getvalue())
    for version in (2, 0), (3, 0):
        b = io.BytesIO()
        np.lib.format.write_array(b, np.arange(6, dtype="f4").reshape(3, 2), version)
        put("version%d.npy" % version[0], b.getvalue())
(here / "numpy.txt").write_text(np.__version__ + "\n")
