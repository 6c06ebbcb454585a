"""What everybody meets on the first day: eager steps, first calls, batches of any size, memory."""
