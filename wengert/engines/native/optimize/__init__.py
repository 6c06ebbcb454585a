"""What can be computed at less cost, and in one loop.

fuse      Which arrays are computed in one loop
simplify  What can be computed at less cost: nothing twice, nothing in vain, few large matrix
          products
"""
