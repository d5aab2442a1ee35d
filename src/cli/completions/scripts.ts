export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

const BASH = `# Completions of arrowbook for bash. In ~/.bashrc: source <(arrowbook completions bash)
_arrowbook() {
  local line value directive="" word="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :* ]]; then
      directive=\${line#:}
    else
      value=\${line%%$'\\t'*}
      # Spaces and the like are quoted, unless a quote is open.
      [[ $word == [\\"\\']* || $value != *[!A-Za-z0-9_./=,:-]* ]] || printf -v value %q "$value"
      COMPREPLY+=("$value")
    fi
  done < <("\${COMP_WORDS[0]}" __complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ $directive == *files* ]]; then
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$word")
    compopt -o filenames 2>/dev/null
  fi
  if [[ $directive == *open* ]]; then compopt -o nospace 2>/dev/null; fi
  return 0
}
complete -F _arrowbook arrowbook
`;

const ZSH = `#compdef arrowbook
# Completions of arrowbook for zsh. In ~/.zshrc, after compinit: source <(arrowbook completions zsh)
_arrowbook() {
  local line value about directive=""
  local -a described plain
  for line in "\${(@f)$("\${words[1]}" __complete zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :* ]]; then
      directive=\${line#:}
    elif [[ -n $line ]]; then
      value=\${line%%$'\\t'*}
      about=\${line#*$'\\t'}
      described+=("\${value//:/\\\\:}:$about")
    fi
  done
  if [[ $directive == *open* ]]; then plain=(-S ''); fi
  (( \${#described} )) && _describe -t arrowbook arrowbook described $plain
  [[ $directive == *files* ]] && _files
  return 0
}
if whence compdef >/dev/null; then compdef _arrowbook arrowbook; fi
`;

const FISH = `# Completions of arrowbook for fish. Write them to ~/.config/fish/completions/arrowbook.fish
function __arrowbook_complete
  set -l words (commandline -opc)
  set -l word (commandline -ct)
  set -l lines ($words[1] __complete fish -- $words[2..-1] "$word" 2>/dev/null)
  string match -v ':*' -- $lines
  if string match -q ':*files*' -- $lines
    __fish_complete_path "$word"
  end
end
complete -c arrowbook -f -a '(__arrowbook_complete)'
`;

/** The script that a shell reads; it calls the command for each completion. */
export const completionScript: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
