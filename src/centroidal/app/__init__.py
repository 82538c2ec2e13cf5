"""The main job in a browser: a page that only this machine can open. See `server.serve`."""
