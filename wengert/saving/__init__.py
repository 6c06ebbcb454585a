"""Values in files: checkpoints and summaries of TensorFlow's form.

arrays               Values in files of other programs: safetensors, and NumPy's
checkpoint           tf.train.Checkpoint
checkpoint_manager   tf.train.CheckpointManager: several checkpoints, of which the oldest go
checkpoint_options   tf.train.CheckpointOptions
checkpoint_reader    What is in a checkpoint
checkpoint_state     The file that says which checkpoints a folder has
object_graph         The objects of a program as a checkpoint keeps them
operations           Variables written and read by operations, which graphs that come from files have
restoration          Giving objects what a checkpoint has for them
names                Checkpoints that know variables by their names alone
status               What became of a checkpoint that was restored
views                Looking at objects, and at checkpoints
saver                tf.compat.v1.train.Saver: variables by their names
summaries            Numbers and pictures for TensorBoard
trackables           Objects that know the objects they are made of
"""
