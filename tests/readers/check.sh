#!/bin/sh
# Checks exported files with programs of others: check.sh SOURCE BUILD EXPORTS. Answers 77 (skipped) where these programs cannot be had.
set -e
command -v node >/dev/null && command -v npm >/dev/null || { echo "node and npm are not installed"; exit 77; }
mkdir -p "$2"
cp "$1"/*.mjs "$1"/package.json "$1"/package-lock.json "$1"/.npmrc "$2"
cd "$2"
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --no-audit --no-fund --ignore-scripts || { echo "the readers cannot be installed with npm"; exit 77; }
exec node check.mjs "$3"
