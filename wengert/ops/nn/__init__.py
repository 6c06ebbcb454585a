"""Neural networks.

activations          Activation functions, softmax and cross-entropy losses
batch_norm           Fused batch normalization, with its gradient in few passes over memory
bias                 tf.nn.bias_add: a bias for each channel
clipping             Gradient clipping by global norm, and the global norm
ctc                  CTC loss (connectionist temporal classification): the likelihood of labels,
                     over all alignments
ctc_of_sparse        CTC loss as version 1 has it: sparse labels, the last class as blank, and
                     labels that do not fit
ctc_decoding         CTC greedy decoding: the most likely class of each step, as a sequence of
                     labels
ctc_beams            CTC beam search: the likeliest sequences of labels, over all alignments that
                     stay among the best
dropout              Dropout: elements are zeroed at random, and the others scaled up
embedding            Embeddings: rows of a table, which may lie in several tensors
local_response_norm  Local response normalization: each element divided by the size of
                     neighbouring channels
losses               Loss functions that are composed of other operations
of_sparse            Functions of neural networks for sparse tensors
of_ragged            What functions of neural networks do with ragged tensors: softmax, dropout,
                     embeddings
normalization        Moments (mean and variance) and batch normalization
sampled_losses       Losses over many classes, of which only the true ones and a few candidates
                     are computed
space_depth          Space to batch, space to depth, and back: blocks of pixels moved into batch
                     or channels
sparse_embedding     Embedding lookups with sparse ids: rows of a table, combined

conv                 Convolutions
pool                 Pooling and morphology: operations on the elements of sliding windows
"""
