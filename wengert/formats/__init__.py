"""Files that other programs write and read, byte for byte.

crc32c      The checksum of records
wire        Messages of protocol buffers: fields with numbers
tensors     Arrays as messages: TensorProto
records     Records one after the other, with checksums: TFRecord
compressed  Files that may be compressed
lines       Lines of text files
csv         Lines with fields between commas
examples    Examples: features by their names
protos      TensorFlow's messages, by the package protobuf
"""
