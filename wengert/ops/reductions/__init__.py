"""Arrays made smaller, and put in order: sums, running sums, segments, sorted elements.

cumulative  Running sums, products and logarithms of sums
reductions  Reductions: from an array to a smaller one along some axes
counting    How often: histograms, counts, confusion matrices
segments    Reductions over segments: rows that have the same index
sorting     The largest elements, sorted elements, and places in sorted elements
isotonic    Isotonic regression: the nearest sequence that never rises (or never falls)
sequences   Sequences of different lengths in one tensor; repetition; permutations of whole
            numbers
unique      The different elements of a vector
"""
