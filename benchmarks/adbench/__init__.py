"""ADBench's objectives, beside those who publish it: compiled, graph, eager, and C++ by hand."""
