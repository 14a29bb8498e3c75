"""Pickles and imports of version 0.1.0 find what they name."""

import base64
import json
import pickle
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np

import weft
from tests.cases import for_each
from weft.interop.former_modules import FORMER

PICKLES = json.loads((Path(__file__).parent / "pickles_of_0_1_0.json").read_text())


def loaded(name):
    return pickle.loads(base64.b64decode(PICKLES[name]))


@for_each("name", [name for name in PICKLES if name.startswith("weft.")])
def test_a_public_function_is_the_one_of_today(name):
    wanted = weft
    for part in name.split(".")[1:]:
        wanted = getattr(wanted, part)
    assert loaded(name) is wanted


def test_values_are_those_that_were_pickled():
    np.testing.assert_array_equal(loaded("tensor").numpy(), np.arange(3, dtype=np.float32))
    assert loaded("constant").numpy().tolist() == [1, 2]
    assert not loaded("constant").numpy().flags.writeable
    assert loaded("dtype") is weft.bfloat16
    assert loaded("class") is weft.Tensor
    assert loaded("device") is weft.cpu
    assert loaded("thread") is weft.device("thread", 0)
    assert loaded("domain") == weft.translate(weft.arange(3), (2,)).domain
    assert weft.arange(5)[loaded("index")].numpy().tolist() == [1, 2]
    assert loaded("storage").tobytes() == np.arange(3).tobytes()
    assert str(loaded("error")) == "reshape: 1"


@for_each("former", FORMER)
def test_a_former_module_stands_for_one_of_today(former):
    today = import_module(f"weft.{FORMER[former]}")
    name = next(n for n, value in vars(today).items() if getattr(value, "__module__", "") == today.__name__)
    assert getattr(import_module(f"weft.{former}"), name) is getattr(today, name)


def test_former_names_are_no_attributes_of_weft():
    program = "import weft, weft.seeing as t; print(hasattr(weft, 'seeing'), t.parse is weft.parse)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_a_former_name_may_be_that_of_a_function():
    program = "import weft; from weft.tensor import Tensor; print(Tensor is weft.Tensor, weft.tensor([1, 2]).tolist())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True [1, 2]"
