"""Threads of the library behind factorisations: those that weft's kernels have."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
import threadpoolctl

import weft
from weft.backends.thread_counts import one_library_thread


@pytest.fixture(autouse=True)
def _same_threads_afterwards() -> Iterator[None]:
    found = weft.get_num_threads()
    yield
    weft.set_num_threads(found)


def library_threads() -> set[int]:
    return {lib["num_threads"] for lib in threadpoolctl.threadpool_info() if lib["user_api"] == "blas"}


def output_of(program: str, **environment: str) -> str:
    made = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return made.stdout.strip()


def test_the_library_has_the_threads_of_kernels() -> None:
    for threads in (1, 2):
        weft.set_num_threads(threads)
        assert library_threads() == {threads}


def test_blocks_of_one_thread_may_overlap_and_a_new_number_holds_after_them() -> None:
    weft.set_num_threads(2)
    first, second = one_library_thread(), one_library_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    weft.set_num_threads(3)
    assert library_threads() == {1} and weft.get_num_threads() == 3
    second.__exit__(None, None, None)
    assert library_threads() == {3}


def test_a_factorisation_of_one_thread_leaves_the_threads_that_the_user_gave_the_library() -> None:
    weft.set_num_threads(2)
    with threadpoolctl.threadpool_limits(limits=1, user_api="blas"):
        with weft.deterministic():
            weft.linalg.inv(weft.eye(3)).realize()
        assert library_threads() == {1}


def test_the_quota_of_the_container_limits_the_library() -> None:
    program = (
        "import weft.runtime.control_groups as groups; groups.cpu_quota = lambda: 1; import weft, threadpoolctl;"
        "weft.linalg.inv(weft.eye(3)).realize();"
        "print({lib['num_threads'] for lib in threadpoolctl.threadpool_info()}, weft.get_num_threads())"
    )
    assert output_of(program, OPENBLAS_NUM_THREADS="2") == "{1} 1"
