"""Every speed claim as a ratio, measured side by side in one run."""
