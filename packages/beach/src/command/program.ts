import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { Command } from 'commander'
import { commands } from './command-list.ts'
import { ownFile, ownVersion } from './own-package.ts'

const helpAfter = () => `
Exit codes:
  0  done
  1  failed: what was asked for could not be done, or a check found something
  2  wrong input: arguments, options, or beach.config.ts

Each command has examples: beach <command> --help. Documentation: ${documentation()}.`

/** The program as it is needed for these arguments: the command that they name is loaded, the others are only listed. */
export async function programFor(args: readonly string[]): Promise<Command> {
  const named = args.filter((arg) => !arg.startsWith('-'))
  const wanted = named[0] === 'help' ? named[1] : named[0]
  return program((name) => name === wanted, args.includes('--json'))
}

/** The program with all commands loaded, for what must know all of them. */
export async function wholeProgram(): Promise<Command> {
  return program(() => true)
}

/** To a program an error is one value of JSON, which is written elsewhere. */
async function program(isLoaded: (name: string) => boolean, isForProgram = false): Promise<Command> {
  const root = new Command('beach')
    .description('Agents that answer once and are understood everywhere.')
    .version(ownVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help')
    .addHelpText('after', helpAfter)
    .configureOutput(isForProgram ? { writeErr: () => {} } : {})
    .showHelpAfterError('(beach --help lists what there is)')
    .exitOverride()
  for (const { name, summary, load } of commands) {
    const command = root.command(name).summary(summary).description(summary).helpOption('-h, --help', 'print help')
    if (!isLoaded(name)) continue
    const { configure } = await load()
    configure(command)
    pointToHelp(command, name)
  }
  return root
}

/** An error of a command names the help of that very command. */
function pointToHelp(command: Command, path: string): void {
  command.showHelpAfterError(`(beach ${path} --help shows how)`)
  for (const one of command.commands) pointToHelp(one, `${path} ${one.name()}`)
}

/** Where the pages are that came with this package; sources have no copy of their own. */
function documentation(): string {
  const shipped = ownFile('dist/docs')
  if (!existsSync(shipped)) return 'docs/command.md'
  return `begin with ${relative('', shipped)}/tutorial.md; llms.txt there lists all pages`
}
