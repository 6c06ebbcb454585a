"""What `wengert train` does: a network, its data, the loop, and the folder in which a run stands.

settings     What a run was asked for; kept with it
textures     Pictures of ten textures, in place of CIFAR-10
strokes      Pictures of ten digits, in place of MNIST
data_files   The files of CIFAR-10 and of MNIST
examples     Inputs with targets, and what a set says of itself
feeding      Batches by the number of the step, through tf.data
augmentation Pictures moved, mirrored, brighter and darker
spectral     The layer of eigenvalues, and gradients in place of its own
models       The networks
tasks        What can be trained by name
user_file    What can be trained from a file of the user's
step         One step: the loss, its gradient, the update
run_folder   The folder of a run: its lock, settings, history
checkpoints  Going on from the last checkpoint that is whole
stopping     Interrupts that wait for the end of a step
loop         The loop
progress     What is seen of a run while it goes on
curve        A curve in a terminal
page         What is seen of a run afterwards
"""
