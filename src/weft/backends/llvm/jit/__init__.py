"""From text to running code: compiling, caching, the entry that Python calls and the pool of threads."""
