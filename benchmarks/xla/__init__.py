"""The XLA engine beside the same programs written for JAX: the first call, and a step."""
