"""What a gradient costs as it grows: with the elements, with the operations, with the threads."""
