"""tf.image: resizing, cropping, colours, comparing, changes at random."""

import typing as _typing

from wengert.api.advice import absent as _absent
from wengert.io.pictures import decode_and_crop_jpeg as decode_and_crop_jpeg
from wengert.io.pictures import decode_bmp as decode_bmp
from wengert.io.pictures import decode_gif as decode_gif
from wengert.io.pictures import decode_image as decode_image
from wengert.io.pictures import decode_jpeg as decode_jpeg
from wengert.io.pictures import decode_png as decode_png
from wengert.io.pictures import encode_jpeg as encode_jpeg
from wengert.io.pictures import encode_png as encode_png
from wengert.io.pictures import extract_jpeg_shape as extract_jpeg_shape
from wengert.io.pictures import is_jpeg as is_jpeg
from wengert.ops.image.adjust import adjust_brightness as adjust_brightness
from wengert.ops.image.adjust import adjust_contrast as adjust_contrast
from wengert.ops.image.adjust import adjust_gamma as adjust_gamma
from wengert.ops.image.adjust import adjust_hue as adjust_hue
from wengert.ops.image.adjust import adjust_saturation as adjust_saturation
from wengert.ops.image.adjust import convert_image_dtype as convert_image_dtype
from wengert.ops.image.adjust import per_image_standardization as per_image_standardization
from wengert.ops.image.adjust import rgb_to_grayscale as rgb_to_grayscale
from wengert.ops.image.boxes import combined_non_max_suppression as combined_non_max_suppression
from wengert.ops.image.boxes import non_max_suppression as non_max_suppression
from wengert.ops.image.boxes import non_max_suppression_overlaps as non_max_suppression_overlaps
from wengert.ops.image.boxes import non_max_suppression_padded as non_max_suppression_padded
from wengert.ops.image.boxes import (
    non_max_suppression_with_scores as non_max_suppression_with_scores,
)
from wengert.ops.image.color import grayscale_to_rgb as grayscale_to_rgb
from wengert.ops.image.color import hsv_to_rgb as hsv_to_rgb
from wengert.ops.image.color import rgb_to_hsv as rgb_to_hsv
from wengert.ops.image.color import rgb_to_yiq as rgb_to_yiq
from wengert.ops.image.color import rgb_to_yuv as rgb_to_yuv
from wengert.ops.image.color import yiq_to_rgb as yiq_to_rgb
from wengert.ops.image.color import yuv_to_rgb as yuv_to_rgb
from wengert.ops.image.crop import crop_and_resize as crop_and_resize
from wengert.ops.image.distorted_boxes import (
    sample_distorted_bounding_box as sample_distorted_bounding_box,
)
from wengert.ops.image.distorted_boxes import (
    stateless_sample_distorted_bounding_box as stateless_sample_distorted_bounding_box,
)
from wengert.ops.image.drawn_boxes import draw_bounding_boxes as draw_bounding_boxes
from wengert.ops.image.geometry import central_crop as central_crop
from wengert.ops.image.geometry import crop_to_bounding_box as crop_to_bounding_box
from wengert.ops.image.geometry import flip_left_right as flip_left_right
from wengert.ops.image.geometry import flip_up_down as flip_up_down
from wengert.ops.image.geometry import pad_to_bounding_box as pad_to_bounding_box
from wengert.ops.image.geometry import resize_with_crop_or_pad as resize_with_crop_or_pad
from wengert.ops.image.geometry import resize_with_pad as resize_with_pad
from wengert.ops.image.geometry import rot90 as rot90
from wengert.ops.image.geometry import transpose as transpose
from wengert.ops.image.glimpse import extract_glimpse as extract_glimpse
from wengert.ops.image.measures import image_gradients as image_gradients
from wengert.ops.image.measures import psnr as psnr
from wengert.ops.image.measures import sobel_edges as sobel_edges
from wengert.ops.image.measures import ssim as ssim
from wengert.ops.image.measures import ssim_multiscale as ssim_multiscale
from wengert.ops.image.measures import total_variation as total_variation
from wengert.ops.image.patches import extract_patches as extract_patches
from wengert.ops.image.random import random_brightness as random_brightness
from wengert.ops.image.random import random_contrast as random_contrast
from wengert.ops.image.random import random_crop as random_crop
from wengert.ops.image.random import random_flip_left_right as random_flip_left_right
from wengert.ops.image.random import random_flip_up_down as random_flip_up_down
from wengert.ops.image.random import random_hue as random_hue
from wengert.ops.image.random import random_saturation as random_saturation
from wengert.ops.image.random import stateless_random_brightness as stateless_random_brightness
from wengert.ops.image.random import stateless_random_contrast as stateless_random_contrast
from wengert.ops.image.random import stateless_random_crop as stateless_random_crop
from wengert.ops.image.random import (
    stateless_random_flip_left_right as stateless_random_flip_left_right,
)
from wengert.ops.image.random import stateless_random_flip_up_down as stateless_random_flip_up_down
from wengert.ops.image.random import stateless_random_hue as stateless_random_hue
from wengert.ops.image.random import stateless_random_saturation as stateless_random_saturation
from wengert.ops.image.resize import ResizeMethod as ResizeMethod
from wengert.ops.image.resize import resize as resize

# Type checkers shall know that there are no others.
if not _typing.TYPE_CHECKING:
    __getattr__ = _absent("image")
