#!/usr/bin/env python3
"""Makes the table "measured / theory / paper" of docs/structures.md out of what the tests of elastic-plastic joints measure.

  python3 docs/make_joints_table.py            writes the table into docs/structures.md, or prints it if there is no place for it
  python3 docs/make_joints_table.py --print    prints it
  --program FILE                               the tests' program (default: build/release/bin/crumple_tests)

The table stands between the lines "<!-- joints table -->" and "<!-- end of joints table -->". A row is what a test has told through
record_row (tests/rigid/structures.h). If a test fails there is no table.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"<!-- joints table -->\n.*?<!-- end of joints table -->", re.DOTALL)


def run_tests(program):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        done = subprocess.run([program, "--gtest_filter=Paper5.*:Structure*", f"--gtest_output=json:{report}", "--gtest_brief=1"], stdout=sys.stderr)
        if done.returncode != 0:
            sys.exit("a test failed: no table")
        return json.loads(report.read_text())


def rows_of(report):
    rows = []
    for suite in report["testsuites"]:
        for test in suite["testsuite"]:
            found = [(int(key[4:]), text) for key, text in test.items() if re.fullmatch(r"row_\d+", key)]
            rows += [text.split(" | ") for _, text in sorted(found)]
    return rows


def table_of(rows):
    lines = ["| | measured | theory | paper 5 |", "|---|---|---|---|"]
    lines += ["| " + " | ".join(cell.strip() or "-" for cell in (row + [""] * 4)[:4]) + " |" for row in rows]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/crumple_tests"))
    parser.add_argument("--print", action="store_true", dest="only_print")
    options = parser.parse_args()
    table = table_of(rows_of(run_tests(options.program)))
    page = ROOT / "docs/structures.md"
    text = page.read_text() if page.exists() and not options.only_print else ""
    if not BLOCK.search(text):
        print(table)
        return
    temporary = page.with_suffix(".tmp")
    temporary.write_text(BLOCK.sub(lambda _: f"<!-- joints table -->\n{table}\n<!-- end of joints table -->", text))
    temporary.replace(page)


if __name__ == "__main__":
    main()
