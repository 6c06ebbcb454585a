"""Random words, and samples that are made from them at once.

philox    Random words: blocks of Philox that follow each other
samples   Uniform and normal samples
"""
