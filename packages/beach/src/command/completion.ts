import type { Command } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** What can follow some words: commands and options, with what they do. */
interface Place {
  /** The commands so far, such as `data check`; empty at the beginning. */
  readonly path: string
  readonly words: readonly { readonly word: string; readonly does: string }[]
}

/** A script for a shell that completes all commands and options, and file names everywhere else. */
export function completionFor(shell: Shell, program: Command): string {
  const places = placesOf(program, [])
  switch (shell) {
    case 'bash':
      return bash(places)
    case 'zsh':
      return `#compdef beach\nautoload -U +X bashcompinit && bashcompinit\n${bash(places)}`
    case 'fish':
      return fish(places)
  }
}

function placesOf(command: Command, path: readonly string[]): Place[] {
  const help = command.createHelp()
  const commands = command.commands.map((one) => ({ word: one.name(), does: one.summary() }))
  const options = help.visibleOptions(command).map((one) => ({ word: one.long ?? one.flags, does: one.description }))
  return [
    { path: path.join(' '), words: [...commands, ...options] },
    ...command.commands.flatMap((one) => placesOf(one, [...path, one.name()])),
  ]
}

function bash(places: readonly Place[]): string {
  const cases = places.map(({ path, words }) => `    '${path}') words='${words.map(({ word }) => word).join(' ')}' ;;`)
  const known = places.map(({ path }) => `'${path}'`).join('|')
  return `_beach() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path='' next words='' index
  for ((index = 1; index < COMP_CWORD; index++)); do
    next="\${path:+$path }\${COMP_WORDS[index]}"
    case "$next" in
      ${known}) path="$next" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$cur")); fi
}
complete -o filenames -F _beach beach`
}

function fish(places: readonly Place[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  return places
    .flatMap(({ path, words }) => {
      const seen = path.split(' ').filter((word) => word !== '')
      const when =
        seen.length === 0
          ? '__fish_use_subcommand'
          : seen.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ')
      return words.map(({ word, does }) => {
        const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`
        return `complete -c beach -n ${quoted(when)} ${what} -d ${quoted(does)}`
      })
    })
    .join('\n')
}
