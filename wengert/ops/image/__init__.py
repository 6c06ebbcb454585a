"""Images.

color           Colour spaces: hue, saturation and value; luminance and chroma; greyscale
resize_weights  The weights of resizes: along an axis, a matrix from old pixels to new ones
resize          Resizes as linear maps along one axis at a time
adjust          Image adjustments: brightness, contrast, gamma, hue, saturation, dtype,
                standardization
boxes           Non-maximum suppression of bounding boxes
drawn_boxes     Bounding boxes drawn into images
distorted_boxes  Random crops that contain enough of a labelled object, as TensorFlow draws them
crop            crop_and_resize: boxes cut out of images and resized, differentiable in images and
                boxes
geometry        Rotating, flipping, cropping and padding images
glimpse         extract_glimpse: windows of images around points, filled with noise outside
measures        Image metrics: gradients, total variation, PSNR, structural similarity
projective      Projective transformations: pixels read where a map sends them
patches         Patches of images and volumes: each window laid out along the channels
random          Random image augmentations, stateful or with a seed for each call
"""
