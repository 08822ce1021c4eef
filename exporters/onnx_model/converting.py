"""A traced model as an ONNX graph: translated at one opset, tidied, its parameters left as they are."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import onnx_ir as ir
import torch
from onnx_ir.passes import common
from onnxscript import optimizer
from onnxscript.rewriter import RewritePass
from onnxscript.rewriter.rules import common as rules

from exporters.base import ExportError
from exporters.onnx_model.translation import table
from graph.places import places

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    from graph.plan import Plan

RULES = (
    rules.cast_cast_rule,
    rules.no_op_cast_rule,
    rules.no_op_expand_rule,
    rules.reshape_reshape_rule,
    rules.no_op_transpose_rule,
    rules.transpose_transpose_rule,
    rules.unsqueeze_unsqueeze_rule,
    rules.squeeze_reshape_1d_rule,
    rules.collapse_slice_rule,
    rules.collapse_slice2_rule,
    rules.materialize_reshape_shape_rule,
    rules.mul_by_1_rule,
    rules.div_by_1_rule,
    rules.add_0_rule,
    rules.sub_0_rule,
)
"""Rewrites that touch no weight; fusions (batch norm into a convolution) are left to the runtime."""


def convert(program: ExportedProgram, opset: int, plan: Plan | None = None) -> ir.Model:
    """Translate a traced model; the plan is for the message when that fails.

    Raises:
        ExportError: an operator has no translation; it names the block that calls it.
    """
    with quiet():
        model = _translated(program, opset, plan)
        parameters = set(model.graph.initializers)
        try:
            tidy(model, parameters)
        except Exception:  # tidying is a kindness; where it stumbles the model stays as it was translated
            model = _translated(program, opset, plan)
            common.NameFixPass()(model)
    return model


def _translated(program: ExportedProgram, opset: int, plan: Plan | None) -> ir.Model:
    try:
        converted = torch.onnx.export(
            program,
            (),
            dynamo=True,
            opset_version=opset,
            optimize=False,
            verbose=False,
            custom_translation_table=table(opset),
        )
    except Exception as error:
        address, at = named(_module(error, program), plan)
        raise ExportError(f"ONNX opset {opset} cannot say this model{at}: {_reason(error)}.", address) from error
    assert converted is not None
    return converted.model


def tidy(model: ir.Model, parameters: set[str]) -> None:
    """Fold constants and drop what does nothing, but fold no weight away: each stays under its name."""

    def may_fold(node: ir.Node) -> bool | None:
        return False if any(value is not None and value.name in parameters for value in node.inputs) else None

    for _ in range(2):
        optimizer.fold_constants_ir(model, should_fold=may_fold)
        RewritePass(RULES)(model)
        common.RemoveUnusedNodesPass()(model)
    for last in (
        common.CommonSubexpressionEliminationPass(),
        common.LiftConstantsToInitializersPass(lift_all_constants=True, size_limit=0),
        common.IdentityEliminationPass(),
        common.RemoveUnusedNodesPass(),
        common.RemoveUnusedFunctionsPass(),
        common.RemoveUnusedOpsetsPass(),
        common.NameFixPass(),
    ):
        last(model)


@contextmanager
def quiet() -> Iterator[None]:
    """The converters' advice to programmers is not for the people who draw."""
    loggers = [logging.getLogger(name) for name in ("torch.onnx", "onnxscript", "onnx_ir")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _reason(error: BaseException) -> str:
    """The innermost cause, in one line."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join((lines or [type(error).__name__])[0].split()).rstrip(".")


def named(module: str, plan: Plan | None) -> tuple[str, str]:
    """The address of the block that a module belongs to, and how a sentence says where that is."""
    for place in reversed(places(plan) if plan else []):
        if module == place.module or module.startswith(f"{place.module}."):
            return place.address, f" at {place.step.title} ({place.address})"
    return "", ""


def _module(error: BaseException, program: ExportedProgram) -> str:
    """The module whose operator could not be translated."""
    chain: list[str] = []
    cause: BaseException | None = error
    while cause is not None:
        chain.append(str(cause))
        cause = cause.__cause__
    text = "\n".join(chain)
    for node in program.graph.nodes:
        if f"%{node.name} " in text:
            stack: dict[str, tuple[str, Any]] = node.meta.get("nn_module_stack") or {}
            paths = [path for path, _ in stack.values() if path]
            return paths[-1] if paths else ""
    return ""
