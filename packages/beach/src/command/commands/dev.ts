import type { Command } from 'commander'
import { watchAndRestart } from '../agent/watch-and-restart.ts'
import { withExamples } from '../examples.ts'

interface DevFlags {
  readonly config?: string
  readonly port?: string
}

export function configure(command: Command): void {
  command
    .description(
      'Starts the agent as `beach start` does, and again whenever a file of the working folder changes. Sessions stay: ' +
        'they are in the data folder, and open pages go on where they were. It prints links to the inspector and to the ' +
        'mailbox and phone of this machine, where the configuration has them. While the agent does not start, it waits.',
    )
    .argument('[configs...]', 'configurations; --config, or beach.config.ts of the working folder, if left out')
    .option('--config <file>', 'the configuration')
    .option('--port <number>', 'where the first listens')
    .action(run)
  withExamples(command, [
    ['beach dev', 'the agent of this folder'],
    ['beach dev beach.config.ts weather.config.ts', 'two agents'],
  ])
}

async function run(configs: readonly string[], { config, port }: DevFlags): Promise<void> {
  const paths = configs.length > 0 ? configs : config === undefined ? [] : [config]
  await watchAndRestart(['start', '--watched', ...paths, ...(port === undefined ? [] : ['--port', port])])
}
