#!/usr/bin/env python3
"""Clean a CSV file and say what was changed. Usage: clean_csv.py INPUT OUTPUT"""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

SEPARATORS = ",;\t|"


def decode(raw: bytes) -> tuple[str, str]:
    """Text and the name of its encoding. Windows-1252 is ISO-8859-1 with more letters."""
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return raw.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return raw.decode("iso-8859-1"), "iso-8859-1"


def find_separator(text: str) -> str:
    """The separator that occurs most often in the header line."""
    header = text.lstrip().split("\n", 1)[0]
    return max(SEPARATORS, key=header.count)


def unique_names(header: list[str]) -> list[str]:
    """Header names without blanks around them, each different from the others."""
    names: list[str] = []
    for position, cell in enumerate(header, start=1):
        name = cell.strip() or f"column_{position}"
        candidate, count = name, 2
        while candidate in names:
            candidate, count = f"{name}_{count}", count + 1
        names.append(candidate)
    return names


def clean(source: Path, target: Path) -> int:
    text, encoding = decode(source.read_bytes())
    separator = find_separator(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    header: list[str] | None = None
    rows: list[list[str]] = []
    seen: set[tuple[str, ...]] = set()
    set_aside: list[tuple[int, int]] = []
    total = empty = repeated = trimmed = 0

    for row in reader:
        cells = [cell.strip() for cell in row]
        if header is None:
            if any(cells):
                header = unique_names(row)
            continue
        total += 1
        if not any(cells):
            empty += 1
        elif len(cells) != len(header):
            set_aside.append((reader.line_num, len(cells)))
        elif tuple(cells) in seen:
            repeated += 1
        else:
            trimmed += sum(before != after for before, after in zip(row, cells))
            seen.add(tuple(cells))
            rows.append(cells)

    if header is None:
        print(f"{source}: there is no header line.", file=sys.stderr)
        return 1

    with target.open("w", encoding="utf-8", newline="") as output:
        writer = csv.writer(output, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)

    print(f"read      {total} rows, {encoding}, separated by {separator!r}")
    print(f"written   {len(rows)} rows, {len(header)} columns, utf-8")
    print(f"dropped   {empty} empty, {repeated} repeated")
    print(f"trimmed   {trimmed} cells")
    for line, width in set_aside:
        print(f"set aside line {line}: {width} cells instead of {len(header)}")
    return 0


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    source, target = map(Path, arguments)
    if target.exists() and source.resolve() == target.resolve():
        print("The output must be another file than the input.", file=sys.stderr)
        return 2
    if not source.is_file():
        print(f"There is no file {source}.", file=sys.stderr)
        return 2
    return clean(source, target)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
