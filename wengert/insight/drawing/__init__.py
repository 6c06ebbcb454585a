"""The graph of a function and of its gradient, to look at.

diagram  What is drawn: operations, and what flows between them; scopes drawn as one
numbers  What flows through it, in a few words
layout   Where each box stands: in layers, along the flow
svg      As a picture
formats  For Graphviz and for Mermaid
events   For TensorBoard
viewer   As a page: pan, zoom, click, and scopes that open
draw     tf.draw
"""
