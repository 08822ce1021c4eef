"""Run an exported file as a stranger would: in a process of its own that cannot import Blockwright.

Called with a folder that holds model.py, model.safetensors and inputs-N.safetensors; it prints the
keys of the state_dict as JSON and writes outputs-N.safetensors. This file knows torch and safetensors alone.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import json
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

OURS = ("app", "blocks", "exporters", "graph")


class Refusal(importlib.abc.MetaPathFinder):
    """Lets nothing of Blockwright be imported."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Refuse our own packages, pass on everything else."""
        if name.partition(".")[0] in OURS:
            raise ImportError(f"the exported file imports {name}")


def main(folder: Path, threads: int) -> None:
    """Load the model and run every set of inputs."""
    sys.meta_path.insert(0, Refusal())
    torch.set_num_threads(threads)
    spec = importlib.util.spec_from_file_location("exported_model", folder / "model.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["exported_model"] = module
    spec.loader.exec_module(module)
    print(json.dumps(list(module.Model().state_dict())), flush=True)
    model = module.Model.load()
    for file in sorted(folder.glob("inputs-*.safetensors")):
        inputs = load_file(file)
        arguments = [inputs[str(place)].clone() for place in range(len(inputs))]
        with torch.no_grad():
            result = model(*arguments)
        results = result if isinstance(result, tuple) else (result,)
        named = {str(place): tensor.contiguous().clone() for place, tensor in enumerate(results)}
        save_file(named, folder / file.name.replace("inputs", "outputs"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
