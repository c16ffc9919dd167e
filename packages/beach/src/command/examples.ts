import type { Command } from 'commander'

/** Shows examples at the end of a command's help: each with what it does. */
export function withExamples(command: Command, examples: readonly (readonly [line: string, does: string])[]): Command {
  const width = Math.max(...examples.map(([line]) => line.length))
  const lines = examples.map(([line, does]) => `  ${line.padEnd(width)}   ${does}`)
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`)
}
