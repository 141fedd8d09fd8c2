#!/bin/sh
# The table of packages in docs/install.md, from packages.txt; tests/unit/setup.sh holds the one to
# the other.
cd "$(dirname "$0")" || exit 1
echo '| looked for | Debian, Ubuntu | Fedora | Arch | openSUSE | Alpine | for |'
echo '|---|---|---|---|---|---|---|'
sed -nE 's/^([^#[].*)$/| \1 |/p' packages.txt
