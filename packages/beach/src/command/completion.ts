import type { Command } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** What can follow some words. */
interface Place {
  /** The commands so far, such as `data check`; empty at the beginning. */
  readonly path: string
  readonly commands: readonly Choice[]
  readonly options: readonly Choice[]
}

interface Choice {
  readonly word: string
  readonly does: string
  /** True of an option that has a value. */
  readonly takesValue?: boolean
}

/** A script for a shell that completes commands, options after a dash, and file names everywhere else. */
export function completionFor(shell: Shell, program: Command): string {
  const places = placesOf(program, [])
  switch (shell) {
    case 'bash':
      return bash(places)
    case 'zsh':
      return `#compdef beach\nautoload -U +X bashcompinit && bashcompinit\n${bash(places)}\n${completeAtOnce}`
    case 'fish':
      return fish(places)
  }
}

/** zsh reads the file when the key is pressed for the first time, and would show nothing then. */
const completeAtOnce = 'if [[ "$funcstack[1]" = _beach ]]; then _bash_complete -o filenames -F _beach; fi'

function placesOf(command: Command, path: readonly string[]): Place[] {
  const commands = command.commands.map((one) => ({ word: one.name(), does: one.summary() }))
  const options = command
    .createHelp()
    .visibleOptions(command)
    .map((one) => ({
      word: one.long ?? one.flags,
      does: one.description,
      takesValue: one.required || one.optional,
    }))
  return [
    { path: path.join(' '), commands, options },
    ...command.commands.flatMap((one) => placesOf(one, [...path, one.name()])),
  ]
}

function bash(places: readonly Place[]): string {
  const listed = (choices: readonly Choice[]) => choices.map(({ word }) => word).join(' ')
  const cases = places.map(({ path, commands, options }) => {
    return `    '${path}') commands='${listed(commands)}' options='${listed(options)}' ;;`
  })
  const known = places.map(({ path }) => `'${path}'`).join('|')
  return `_beach() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path='' next commands='' options='' index
  for ((index = 1; index < COMP_CWORD; index++)); do
    next="\${path:+$path }\${COMP_WORDS[index]}"
    case "$next" in
      ${known}) path="$next" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  case "$cur" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;
    *) COMPREPLY=($(compgen -W "$commands" -- "$cur")) ;;
  esac
  if [ \${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$cur")); fi
}
complete -o filenames -F _beach beach`
}

function fish(places: readonly Place[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  return places
    .flatMap(({ path, commands, options }) => {
      const seen = path === '' ? [] : path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`)
      const when = seen.length === 0 ? '__fish_use_subcommand' : seen.join('; and ')
      // After one of them, files follow, and not the same commands again.
      const none = `not __fish_seen_subcommand_from ${commands.map(({ word }) => word).join(' ')}`
      const before = seen.length === 0 ? when : `${when}; and ${none}`
      const line = (condition: string, what: string, does: string) =>
        `complete -c beach -n ${quoted(condition)} ${what} -d ${quoted(does)}`
      return [
        ...commands.map(({ word, does }) => line(before, `-f -a ${word}`, does)),
        ...options.map(({ word, does, takesValue }) => {
          return line(when, `${takesValue ? '-r ' : ''}-l ${word.slice(2)}`, does)
        }),
      ]
    })
    .join('\n')
}
