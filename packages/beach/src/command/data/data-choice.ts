import { BeachError } from '@cool-ai/beach-core'
import type { Command } from 'commander'
import { isUrl } from '../../data/moving/postgres-data.ts'
import { findConfig, loadConfig } from '../config/load-config.ts'

/** The flags by which commands learn where the data is. */
export interface DataChoice {
  readonly config?: string | undefined
  readonly json?: boolean | undefined
}

/** Adds the argument `[data]`, and `--config`. */
export function dataArgument(command: Command): Command {
  return command
    .argument(
      '[data]',
      'a data folder, or postgres://user@host/database?schema=<name>; that of the configuration if left out',
    )
    .option('--config <file>', 'the configuration; beach.config.ts of the working folder if left out')
}

/** The data folder or address: the one that is given, that of the configuration, else `.beach`. */
export async function dataFor(given: string | undefined, { config: path }: DataChoice): Promise<string> {
  if (given !== undefined) return given
  if (path === undefined && findConfig() === undefined) return '.beach'
  const { agent, data = '.beach' } = (await loadConfig({ path, command: 'data' })).config
  const named = typeof data === 'string' ? data : data.folder
  if (named === undefined || named === 'memory') {
    const message =
      'The data of this configuration is not in a folder or a database that is named there. Name it: beach … <data>.'
    throw new BeachError('INVALID_CONFIGURATION', message)
  }
  return isUrl(named) ? withSchema(named, agent.id) : named
}

/** An agent's tables are in a schema of its own unless the address names another. */
async function withSchema(address: string, agent: string): Promise<string> {
  const url = new URL(address)
  if (url.searchParams.has('schema')) return address
  const { schemaOf } = await import('@cool-ai/beach-core/postgres')
  url.searchParams.set('schema', schemaOf(agent))
  return url.href
}
