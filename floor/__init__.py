"""The floor under all rooms: errors, the version, the cache, files that appear whole, compiled kernels."""
