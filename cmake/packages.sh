#!/bin/sh
# Installs the Debian packages of packages.txt that are missing. Does nothing, and needs no rights, if all are there.
set -e
cd "$(dirname "$0")/.."
missing=""
for package in $(sed 's/#.*//' packages.txt); do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
echo "installing:$missing"
as_root=""
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "these packages are missing and need root to install:$missing" >&2; exit 1; }
  as_root=sudo
fi
$as_root apt-get update -q
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
