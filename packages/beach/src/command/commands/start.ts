import { Option, type Command } from 'commander'
import { startAgents } from '../agent/start-agent.ts'
import { withExamples } from '../examples.ts'
import { terminal } from '../terminal.ts'

interface StartFlags {
  readonly config?: string
  readonly port?: string
  readonly json?: boolean
  readonly watched?: boolean
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
    .addOption(new Option('--watched', 'how `beach dev` starts it').hideHelp())
    .action(run)
  withExamples(command, [
    ['beach start', 'the agent of this folder'],
    ['beach start --port 8080 --config agents/clerk.config.ts', 'another one, on another port'],
    ['beach start beach.config.ts weather.config.ts', 'two agents'],
  ])
}

async function run(configs: readonly string[], { config, port, json, watched }: StartFlags): Promise<void> {
  const paths = configs.length > 0 ? configs : [config]
  const command = watched === true ? 'dev' : 'start'
  for (const { agent, url, pages } of await startAgents({ paths, port, command })) {
    if (json) terminal.line(JSON.stringify({ agent: agent.id, url, pages, pid: process.pid }))
    else {
      terminal.line(`${agent.name} listens on ${url}`)
      for (const page of pages) terminal.line(`  ${page.label}: ${page.url}`)
    }
  }
}
