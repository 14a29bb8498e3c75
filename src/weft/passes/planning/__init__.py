"""Planning: the steps of a plan, made from the nodes that get memory, and the memory of temporaries."""
