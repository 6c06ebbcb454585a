"""Quantization.

fake_quant  Quantization simulated in floats
quantize    Values rounded to the levels of an integer type and scaled back
"""
