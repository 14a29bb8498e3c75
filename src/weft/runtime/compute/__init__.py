"""From a pending value to its cells: keys, programs, the engine that runs them, and what running cost."""
