"""Loop nests of maps, and the frame, the walk and the buffers that reductions and scans share with them."""
