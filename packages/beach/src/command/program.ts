import { Command } from 'commander'
import { commands } from './command-list.ts'
import { ownVersion } from './own-package.ts'

const exitCodesHelp = `
Exit codes:
  0  done
  1  failed: what was asked for could not be done, or a check found something
  2  wrong input: arguments, options, or beach.config.ts

Each command has examples: beach <command> --help. Documentation: docs/command.md.`

/** The program as it is needed for these arguments: the command that they name is loaded, the others are only listed. */
export async function programFor(args: readonly string[]): Promise<Command> {
  const named = args.filter((arg) => !arg.startsWith('-'))
  const wanted = named[0] === 'help' ? named[1] : named[0]
  return program((name) => name === wanted)
}

/** The program with all commands loaded, for what must know all of them. */
export async function wholeProgram(): Promise<Command> {
  return program(() => true)
}

async function program(isLoaded: (name: string) => boolean): Promise<Command> {
  const root = new Command('beach')
    .description('Agents that answer once and are understood everywhere.')
    .version(ownVersion(), '--version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help')
    .addHelpText('after', exitCodesHelp)
    .showHelpAfterError('(beach --help lists what there is)')
    .exitOverride()
  for (const { name, summary, load } of commands) {
    const command = root.command(name).summary(summary).description(summary).helpOption('-h, --help', 'print help')
    if (!isLoaded(name)) continue
    command.showHelpAfterError(`(beach ${name} --help shows how)`)
    const { configure } = await load()
    configure(command)
  }
  return root
}
