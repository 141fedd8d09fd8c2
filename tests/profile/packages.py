"""Packages of PyPI that tests of this folder use, each in an environment of its own below
.toolchain."""
import os
import subprocess
import sys

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def python_with(name, imported, *pins):
    """The python of the environment `name` that has the packages `pins` ("dap-python==0.5.0"), and ""; or None, and why there is none. Packages are brought
    once: `imported` is a module that is there then."""
    venv = os.path.join(root, ".toolchain", name)
    python = os.path.join(venv, "bin/python3")
    try:
        if not os.path.exists(python) or subprocess.run([python, "-c", "import " + imported], capture_output=True, timeout=60).returncode:
            subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True, capture_output=True, timeout=120)
            pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--only-binary", ":all:", *pins]
            subprocess.run(pip, check=True, capture_output=True, timeout=180)
        return python, ""
    except (subprocess.SubprocessError, OSError) as e:
        return None, str(e).splitlines()[0]
