"""The table of calls that every block is tested with, one test for each call or block."""

from __future__ import annotations

import pytest
from cases.call import Call
from cases.table import all_calls
from hypothesis import HealthCheck, settings

from blocks import catalogue

settings.register_profile("shared machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared machine")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes `call` for each call, and one that takes `block` for each block of the catalogue.

    A test with an attribute `only` sees the calls of those blocks; of one that is `slow` all but the first and the last
    call of a block are left to the exhaustive run.
    """
    if "call" in metafunc.fixturenames:
        wanted = getattr(metafunc.function, "only", None)
        slow = getattr(metafunc.function, "slow", False)
        by_block: dict[str, list[Call]] = {}
        for call in all_calls():
            by_block.setdefault(call.block, []).append(call)
        cases = []
        for block, calls in by_block.items():
            if wanted is not None and block not in wanted:
                continue
            for place, call in enumerate(calls):
                marks = [pytest.mark.exhaustive] if slow and 0 < place < len(calls) - 1 else []
                cases.append(pytest.param(call, id=f"{block}-{place}", marks=marks))
        metafunc.parametrize("call", cases)
    if "block" in metafunc.fixturenames:
        metafunc.parametrize("block", catalogue().values(), ids=list(catalogue()))


@pytest.fixture(scope="session")
def calls() -> list[Call]:
    """The whole table."""
    return all_calls()


@pytest.fixture(scope="session")
def make_call() -> type[Call]:
    """The class of a call, for tests that make their own."""
    return Call
