"""Quantization.

fake_quant  Fake quantization: quantization simulated in floats
quantize    Quantization to the levels of an integer type, and back
"""
