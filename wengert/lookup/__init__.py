"""tf.lookup: tables, which give a value for each key.

kinds         What tables, and what fills them, have in common
contents      What a table holds while a program runs
rows          The operations on tables
initializers  Where the contents come from: tensors, lines of a file
static        Tables that are filled once
vocabulary    Tables from words to numbers, with buckets for words that are in none
index_tables  Tables from the words of a list or a file to their numbers, and back
mutable       Tables that change
experimental  tf.lookup.experimental
"""

from wengert.lookup import experimental as experimental
from wengert.lookup.initializers import KeyValueTensorInitializer as KeyValueTensorInitializer
from wengert.lookup.initializers import TextFileIndex as TextFileIndex
from wengert.lookup.initializers import TextFileInitializer as TextFileInitializer
from wengert.lookup.static import StaticHashTable as StaticHashTable
from wengert.lookup.vocabulary import StaticVocabularyTable as StaticVocabularyTable
