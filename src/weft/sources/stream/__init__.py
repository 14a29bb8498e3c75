"""Work over files that goes tile by tile: what is read, decoded ahead, computed and carried between tiles."""
