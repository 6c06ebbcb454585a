"""What everybody meets on the first day: eager steps, sessions, first calls, batches of any size, memory."""
