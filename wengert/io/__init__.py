"""tf.io: files, records, examples, pictures; numbers and texts as bytes.

paths        What all that work with files have in common: paths
gfile        tf.io.gfile: files and folders
files        Files read and written by operations
graphs       Graphs and other messages written to files
records      TFRecord files
events       Files of events, for TensorBoard
tensors      Tensors as texts
sparse       Sparse tensors as texts
texts        Texts in other forms: base64, compressed, fields between commas
features     What is expected in examples
assembly     The values of features as arrays
examples     Examples taken apart
sequences    Examples of sequences taken apart
pictures     Pictures as arrays, and back
codecs       The formats of pictures
"""

from wengert.io import gfile as gfile
from wengert.io.examples import parse_example as parse_example
from wengert.io.examples import parse_single_example as parse_single_example
from wengert.io.features import FixedLenFeature as FixedLenFeature
from wengert.io.features import FixedLenSequenceFeature as FixedLenSequenceFeature
from wengert.io.features import RaggedFeature as RaggedFeature
from wengert.io.features import SparseFeature as SparseFeature
from wengert.io.features import VarLenFeature as VarLenFeature
from wengert.io.files import match_filenames_once as match_filenames_once
from wengert.io.files import matching_files as matching_files
from wengert.io.files import read_file as read_file
from wengert.io.files import write_file as write_file
from wengert.io.graphs import write_graph as write_graph
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
from wengert.io.records import TFRecordOptions as TFRecordOptions
from wengert.io.records import TFRecordWriter as TFRecordWriter
from wengert.io.sequences import parse_sequence_example as parse_sequence_example
from wengert.io.sequences import parse_single_sequence_example as parse_single_sequence_example
from wengert.io.sparse import deserialize_many_sparse as deserialize_many_sparse
from wengert.io.sparse import serialize_many_sparse as serialize_many_sparse
from wengert.io.sparse import serialize_sparse as serialize_sparse
from wengert.io.tensors import parse_tensor as parse_tensor
from wengert.io.tensors import serialize_tensor as serialize_tensor
from wengert.io.texts import decode_base64 as decode_base64
from wengert.io.texts import decode_compressed as decode_compressed
from wengert.io.texts import decode_csv as decode_csv
from wengert.io.texts import encode_base64 as encode_base64
from wengert.ops.arrays.raw_bytes import decode_raw as decode_raw
from wengert.saving.arrays import load_arrays as load_arrays
from wengert.saving.arrays import save_arrays as save_arrays
