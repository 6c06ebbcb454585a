"""Strings in tensors: texts of bytes, taken apart, joined, turned into numbers.

texts        Strings as elements: lengths, cases, parts, numbers, patterns
parts        Strings taken apart, into ragged tensors
fingerprint  The numbers that stand for strings in buckets: FarmHash
"""
