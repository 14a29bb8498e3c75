"""Steps of a body: registers, conversions and the emitters of element-wise operations."""
