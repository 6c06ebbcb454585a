"""tf.strings: strings taken apart, joined, changed, and turned into numbers."""

from wengert.ops.arrays.text import as_string as as_string
from wengert.ops.strings.hashing import to_hash_bucket as to_hash_bucket
from wengert.ops.strings.hashing import to_hash_bucket_fast as to_hash_bucket_fast
from wengert.ops.strings.hashing import to_hash_bucket_strong as to_hash_bucket_strong
from wengert.ops.strings.ngrams import ngrams as ngrams
from wengert.ops.strings.parts import bytes_split as bytes_split
from wengert.ops.strings.parts import split as split
from wengert.ops.strings.templates import format as format
from wengert.ops.strings.texts import join as join
from wengert.ops.strings.texts import length as length
from wengert.ops.strings.texts import lower as lower
from wengert.ops.strings.texts import reduce_join as reduce_join
from wengert.ops.strings.texts import regex_full_match as regex_full_match
from wengert.ops.strings.texts import regex_replace as regex_replace
from wengert.ops.strings.texts import strip as strip
from wengert.ops.strings.texts import substr as substr
from wengert.ops.strings.texts import to_number as to_number
from wengert.ops.strings.texts import unsorted_segment_join as unsorted_segment_join
from wengert.ops.strings.texts import upper as upper
from wengert.ops.strings.unicode import unicode_decode as unicode_decode
from wengert.ops.strings.unicode import unicode_decode_with_offsets as unicode_decode_with_offsets
from wengert.ops.strings.unicode import unicode_encode as unicode_encode
from wengert.ops.strings.unicode import unicode_script as unicode_script
from wengert.ops.strings.unicode import unicode_split as unicode_split
from wengert.ops.strings.unicode import unicode_split_with_offsets as unicode_split_with_offsets
from wengert.ops.strings.unicode import unicode_transcode as unicode_transcode
