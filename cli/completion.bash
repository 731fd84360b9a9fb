# Completion of attncert's commands and options: what --help lists at the place where the cursor is.
_attncert() {
  local word words=() help
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [[ $word == -* ]] || words+=("$word"); done
  help=$("${COMP_WORDS[0]}" "${words[@]:0:1}" --help 2>/dev/null)
  if ((${#words[@]})) || [[ $2 == -* ]]; then word=$(grep -oE -- '--[a-z][a-z-]*' <<<"$help")
  else word=$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z0-9]*\) .*/\1/p' <<<"$help"); fi
  mapfile -t COMPREPLY < <(compgen -W "$word" -- "$2")
}
complete -o default -F _attncert attncert
