"""Files that other programs write and read, byte for byte.

crc32c      The checksum of records
wire        Messages of protocol buffers: fields with numbers
tensors     Arrays as messages: TensorProto
records     Records one after the other, with checksums: TFRecord
large_files  Many bytes to and from files, as fast as the system moves them
compressed  Files that may be compressed
lines       Lines of text files
csv         Lines with fields between commas
examples    Examples: features by their names
protos      TensorFlow's messages, by the package protobuf
snappy      Blocks that Snappy compressed: reading them
ordered_code  Names and numbers as bytes that are ordered as they are
tables      Tables of keys and values in order: the SSTable of LevelDB
events      Events and summaries, which TensorBoard reads
png         Pictures as PNG: writing them
safetensors  Tensors by names in one file: the format safetensors
numpy_files  Arrays in NumPy's files
bundles     Tensors by names in files: the bundle of which TensorFlow's checkpoints are made
"""
