"""Strings in tensors: texts of bytes, taken apart, joined, turned into numbers.

texts        Strings as elements: lengths, cases, parts, numbers, patterns
parts        Strings taken apart, into ragged tensors
sparse_parts The same into sparse tensors, as version 1 has it
encodings    Bytes as characters, in many encodings
unicode      Strings of characters: taken apart, put together, from one encoding into another
patterns     Regular expressions as TensorFlow writes them
ngrams       Neighbouring words as one
templates    Texts with tensors in them
hashing      Strings put into buckets
fingerprint  Numbers that stand for strings: FarmHash
murmur       The same by MurmurHash
siphash      The same by SipHash, with a key
crossing     Features of several columns as one
"""
