"""Images.

color           Colours: hue, saturation and value; luminance and chroma; grey
resize_weights  How a resize weighs pixels: along an axis, a matrix from old places to new ones
resize          Resizes: linear, and along one axis at a time
adjust          Changes of images: brightness, contrast, gamma, hue, saturation, dtype,
                standardization
boxes           Boxes in images: which to keep of those that overlap, and drawing them
crop            crop_and_resize: boxes cut out of images and resized, differentiable in images and
                boxes
geometry        Images turned, mirrored, cut and padded: composed of moves of elements
glimpse         extract_glimpse: windows of images around points, noise where they reach beyond
measures        What tells images apart: differences of pixels, noise ratio, structural similarity
patches         Patches of images and volumes: each window laid out along the channels
random          Images changed at random, with the state of the library or with a seed for each
                call
"""
