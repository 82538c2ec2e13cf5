"""
Streaming
=========

x
"""
print(1)
