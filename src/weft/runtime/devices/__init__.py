"""Devices, their queues of work, and graphs whose parts lie on several of them."""
