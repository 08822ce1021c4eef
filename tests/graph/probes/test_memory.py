import gc

import torch

from graph.probes.memory import LiveBytes


def test_bytes_alive_are_followed_as_tensors_come_and_go():
    live = LiveBytes()
    kept = torch.zeros(1000)
    live.hold([kept])
    assert live.live == 4000
    with live:
        a = kept + 1
        assert live.live == 8000
        view = a.view(10, 100)[3]  # a view takes nothing
        assert live.live == 8000
        del a
        assert live.live == 8000  # the view holds it
        del view
        gc.collect()
        assert live.live == 4000
        b = (kept * 2) * 3
        assert live.peak == 12000 and live.live == 8000
        with live.paused():
            c = kept + 2
        assert live.live == 8000
        b.add_(1)
        assert live.live == 8000
    assert c.numel() == b.numel()


def test_what_is_counted_elsewhere_is_ignored():
    live = LiveBytes()
    weight = torch.nn.Parameter(torch.zeros(100, 100))
    live.ignore([weight])
    with live, torch.no_grad():
        result = torch.nn.functional.linear(torch.zeros(1, 100), weight)
        again = weight.t()
    assert live.peak == 800 and result.numel() == again.shape[0]
