#!/bin/sh
# The report is tested in a real browser. Where there is none, Debian's Chromium is installed if
# that can be done without asking; otherwise the tests in the browser are skipped and say why.
for name in chromium chromium-browser google-chrome; do
    command -v "$name" > /dev/null && exit 0
done
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    echo "Installing Debian's package chromium, as root: the report and the app are tested in a real browser." >&2
    apt-get update -qq || true
    DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends chromium > /dev/null && exit 0
fi
echo "No browser found: the tests of the report and of the app in one will be skipped. To run them, as root: apt-get install chromium" >&2
