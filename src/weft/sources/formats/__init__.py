"""File formats: for each, the parsing of its header and the places of its cells."""
