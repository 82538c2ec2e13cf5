"""The command `centroidal`: main.py parses, commands.py makes one library call a command."""
