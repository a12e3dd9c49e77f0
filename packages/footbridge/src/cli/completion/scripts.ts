/**
 * Completion scripts. They pass what was typed to `footbridge __complete` and read lines, so they never get outdated. Nothing is
 * evaluated. The first line of the answer states whether files complete as well.
 */
import type { Shell } from '../commands/completion.js';

const BASH = `# Completion of footbridge for bash.
_footbridge() {
  local kind line
  COMPREPLY=()
  {
    IFS= read -r kind
    while IFS= read -r line; do COMPREPLY+=("$line"); done
  } < <(command footbridge __complete bash -- "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2> /dev/null)
  case $kind in
    files) compopt -o default 2> /dev/null ;;
    folders) compopt -o dirnames 2> /dev/null ;;
  esac
}
complete -F _footbridge footbridge
`;

const ZSH = `#compdef footbridge
# Completion of footbridge for zsh.
_footbridge() {
  local kind value about
  local -a values shown
  {
    IFS= read -r kind
    while IFS=$'\\t' read -r value about; do
      values+=("$value")
      shown+=("$value\${about:+  -- $about}")
    done
  } < <(command footbridge __complete zsh -- "\${(@Q)words[1,CURRENT-1]}" "\${(Q)PREFIX}" 2> /dev/null)
  case $kind in
    files) _files && return ;;
    folders) _files -/ && return ;;
  esac
  compadd -l -d shown -a values
}
if [ "\${funcstack[1]}" = _footbridge ]; then
  _footbridge "$@"
else
  compdef _footbridge footbridge
fi
`;

const FISH = `# Completion of footbridge for fish.
function __footbridge_complete
    set -l current (commandline -ct)
    set -l lines (command footbridge __complete fish -- (commandline -opc) "$current" 2> /dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current" ''
    end
    printf '%s\\n' $lines[2..-1]
end
complete -c footbridge -f -a '(__footbridge_complete)'
`;

export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
