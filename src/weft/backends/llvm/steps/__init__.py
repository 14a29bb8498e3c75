"""What one step of a body is: registers, conversions and the emitters of element-wise operations."""
