import type { Command } from 'commander'
import { createBeach } from '../../create-beach.ts'
import { loadConfig } from '../config/load-config.ts'
import { withExamples } from '../examples.ts'

// Calls that wait are answered before the pipes are closed.
const graceMs = 25_000

export function configure(command: Command): void {
  command
    .description(
      'Serves the agent of beach.config.ts by MCP to the program that starts the command, on standard input and output. ' +
        'It does not listen on any port.',
    )
    .option('--config <file>', 'the configuration; beach.config.ts of the working folder if left out')
    .action(run)
  withExamples(command, [
    ['beach mcp', 'as the command of a server in the settings of a desktop host or an IDE'],
    ['beach mcp --config /home/anna/clerk/beach.config.ts', 'from any folder'],
  ])
}

async function run({ config: path }: { readonly config?: string }): Promise<void> {
  // Standard output belongs to the protocol.
  console.log = console.error
  const { config } = await loadConfig({ path, command: 'mcp' })
  const { port: _, host: __, serve: ___, ...agent } = config
  const beach = await createBeach(agent)
  const connection = beach.mcpStdio()
  const stop = () => void beach.close({ graceMs }).finally(() => void connection.close())
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  await connection.closed
  await beach.close({ graceMs })
}
