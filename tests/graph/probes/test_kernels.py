import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from graph.probes.kernels import KernelProbe, joint, kernel_of


@pytest.mark.parametrize("backend,name", ((SDPBackend.FLASH_ATTENTION, "flash"), (SDPBackend.MATH, "math")))
def test_the_profile_names_the_kernel(backend, name):
    q = torch.randn(1, 2, 16, 8)
    probe = KernelProbe()
    with sdpa_kernel(backend):
        probe.start()
        scaled_dot_product_attention(q, q, q)
        assert probe.stop() == name
    probe.start()
    torch.softmax(q, -1)
    assert probe.stop() == "none"
    assert probe.stop() == "none"


def test_names_of_kernels():
    assert kernel_of(["aten::mm", "aten::_scaled_dot_product_efficient_attention"]) == "efficient"
    assert kernel_of([]) == "none"
    assert joint(["flash", "none", "flash", "math"]) == "flash + math" and joint(["none"]) == joint([]) == "none"
