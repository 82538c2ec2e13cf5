"""The command `centroidal`: main.py parses, commands/ has a file a command."""
