"""The steps of an ONNX export: trace, translate, name after the drawing, compare with PyTorch."""
