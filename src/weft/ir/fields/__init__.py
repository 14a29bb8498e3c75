"""Random fields: values that are functions of seed, distribution and coordinates."""
