#compdef attncert
# Completion of attncert's commands and options: what --help lists at the place where the cursor is.
local help
if ((CURRENT == 2)); then
  help=$($words[1] --help 2>/dev/null)
  compadd -- ${(f)"$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z0-9]*\) .*/\1/p' <<<$help)"}
else
  help=$($words[1] $words[2] --help 2>/dev/null)
  [[ $PREFIX == -* ]] && compadd -- ${(f)"$(grep -oE -- '--[a-z][a-z-]*' <<<$help)"} || _files
fi
