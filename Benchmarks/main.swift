// Replaced by the first benchmark.
