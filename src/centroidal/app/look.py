"""Look at a table, in a process of its own: whatever is in the file, the server goes on."""

import json
import sys

from ..io.preview import preview_table


def main(path, max_bytes, *options):
    """Print what is in a table, or why it cannot be read."""
    asked = {"transpose": "--transpose" in options, "max_bytes": int(max_bytes)}
    try:
        found = {"preview": preview_table(path, **asked)}
    except (ValueError, OSError, ImportError) as error:
        found = {"error": str(error)}
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
