import { Argument, type Command } from 'commander'
import { completionFor, shells, type Shell } from '../completion.ts'
import { withExamples } from '../examples.ts'
import { wholeProgram } from '../program.ts'
import { terminal } from '../terminal.ts'

export function configure(command: Command): void {
  command
    .description('Prints what completes commands and options in a shell.')
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .action(async (shell: Shell) => terminal.line(completionFor(shell, await wholeProgram())))
  withExamples(command, [
    ['beach completion bash >> ~/.bashrc', 'bash'],
    ['beach completion zsh > "${fpath[1]}/_beach"', 'zsh'],
    ['beach completion fish > ~/.config/fish/completions/beach.fish', 'fish'],
  ])
}
