#!/bin/sh
# Prints the commits of a range, grouped by their Conventional Commits type.
# Usage: collect-changes.sh [FROM] [TO]
# FROM defaults to the newest tag (or the first commit), TO to HEAD.
set -eu

to="${2:-HEAD}"
from="${1:-$(git describe --tags --abbrev=0 "$to" 2>/dev/null || true)}"
range="$to"
[ -z "$from" ] || range="$from..$to"

printf 'Changes in %s\n' "$range"

git log --no-merges --format='%h%x09%s' "$range" | awk -F '\t' '
  {
    type = "other"
    if (match($2, /^[a-z]+(\([^)]*\))?!?:/)) {
      head = substr($2, 1, RLENGTH - 1)
      breaking = head ~ /!$/
      sub(/[(!].*/, "", head)
      type = breaking ? "breaking" : head
    }
    if (!(type in lines)) order[++count] = type
    lines[type] = lines[type] "  " $1 " " $2 "\n"
  }
  END {
    if (count == 0) print "  (no commits)"
    for (i = 1; i <= count; i++) printf "\n%s\n%s", order[i], lines[order[i]]
  }
'
