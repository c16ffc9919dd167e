import type { Command } from 'commander'
import { startAgents } from '../agent/start-agent.ts'
import { withExamples } from '../examples.ts'
import { terminal } from '../terminal.ts'

interface StartFlags {
  readonly config?: string
  readonly port?: string
  readonly json?: boolean
}

export function configure(command: Command): void {
  command
    .description(
      'Starts the agent of beach.config.ts, or several agents in one process. SIGTERM and SIGINT stop them in order.',
    )
    .argument('[configs...]', 'configurations; --config, or beach.config.ts of the working folder, if left out')
    .option('--config <file>', 'the configuration')
    .option(
      '--port <number>',
      'where the first listens; `PORT`, else the `port` of its configuration, else 4747, if left out',
    )
    .option('--json', 'print a line of JSON for each agent: where it listens')
    .action(run)
  withExamples(command, [
    ['beach start', 'the agent of this folder'],
    ['beach start --port 8080 --config agents/clerk.config.ts', 'another one, on another port'],
    ['beach start beach.config.ts weather.config.ts', 'two agents'],
  ])
}

async function run(configs: readonly string[], { config, port, json }: StartFlags): Promise<void> {
  const paths = configs.length > 0 ? configs : [config]
  for (const { agent, url, pages } of await startAgents({ paths, port, command: 'start' })) {
    if (json) terminal.line(JSON.stringify({ agent: agent.id, url, pages, pid: process.pid }))
    else {
      terminal.line(`${agent.name} listens on ${url}`)
      for (const page of pages) terminal.line(`  ${page.label}: ${page.url}`)
    }
  }
}
