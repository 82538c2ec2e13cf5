#!/bin/sh
# The report is tested in a real browser. Where there is none, Debian's Chromium is installed if
# that can be done without asking; otherwise the tests in the browser are skipped and say why.
for name in chromium chromium-browser google-chrome; do
    command -v "$name" > /dev/null && exit 0
done
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    apt-get update -qq || true
    DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends chromium > /dev/null && exit 0
fi
echo "No browser found or installed; the tests of the report in a browser will be skipped." >&2
