"""File formats: for each, how a header is read and where the cells lie."""
