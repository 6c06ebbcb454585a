"""How a training step scales over devices and processes of one machine: `python -m benchmarks.scale`."""
