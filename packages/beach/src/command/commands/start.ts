import type { Command } from 'commander'
import { startAgent } from '../agent/start-agent.ts'
import { withExamples } from '../examples.ts'
import { terminal } from '../terminal.ts'

interface StartFlags {
  readonly config?: string
  readonly port?: string
  readonly json?: boolean
}

export function configure(command: Command): void {
  command
    .description('Starts the agent of beach.config.ts. SIGTERM and SIGINT stop it in order.')
    .option('--config <file>', 'the configuration; beach.config.ts of the working folder if left out')
    .option('--port <number>', 'where it listens; `PORT`, else the `port` of the configuration, else 4747, if left out')
    .option('--json', 'print where it listens as JSON')
    .action(run)
  withExamples(command, [
    ['beach start', 'the agent of this folder'],
    ['beach start --port 8080 --config agents/clerk.config.ts', 'another one, on another port'],
  ])
}

async function run({ config, port, json }: StartFlags): Promise<void> {
  const { url, beach } = await startAgent({ path: config, port, command: 'start' })
  if (json) terminal.json({ agent: beach.agent.id, url, pid: process.pid })
  else terminal.line(`${beach.agent.name} listens on ${url}`)
}
