import { existsSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { BeachError } from '@cool-ai/beach-core'
import { checkOptions, isPlain } from '../../options/check-options.ts'
import type { BeachConfig, BeachConfigExport, ConfigContext } from './define-config.ts'
import { knownConfig } from './known-config.ts'
import { refuseLiteralSecrets } from './literal-secrets.ts'

const names = ['beach.config.ts', 'beach.config.mts', 'beach.config.js', 'beach.config.mjs']

/** A configuration, and the file that it is in. */
export interface LoadedConfig {
  readonly config: BeachConfig
  readonly file: string
  /** Makes the configuration anew, where it is a function. */
  readonly make: (context: ConfigContext) => Promise<BeachConfig>
}

/** The configuration of the working folder; undefined if there is none. */
export function findConfig(): string | undefined {
  return names.map((name) => resolve(name)).find((file) => existsSync(file))
}

/** Reads the configuration that is named, or that of the working folder, and checks it. */
export async function loadConfig(
  options: { readonly path?: string | undefined } & ConfigContext,
): Promise<LoadedConfig> {
  const { path, command } = options
  const file = path === undefined ? findConfig() : resolve(path)
  if (file === undefined) {
    const message =
      'There is no beach.config.ts in this folder. Run `beach init`, or name another with --config <file>.'
    throw new BeachError('INVALID_CONFIGURATION', message)
  }
  if (!existsSync(file)) throw new BeachError('INVALID_CONFIGURATION', `There is no file ${path ?? file}.`)
  const name = relative(process.cwd(), file)
  const environment = join(dirname(file), '.env')
  // What is set already stays.
  if (existsSync(environment)) process.loadEnvFile(environment)
  refuseLiteralSecrets(readFileSync(file, 'utf8'), name)
  const exported = await exportOf(file, name)
  const make = async (context: ConfigContext) => {
    const config = typeof exported === 'function' ? await exported(context) : exported
    if (!isPlain(config)) {
      const message = `${name} has no default export with options. Write: export default defineConfig({ agent: …, actors: … })`
      throw new BeachError('INVALID_CONFIGURATION', message)
    }
    checkOptions(config, knownConfig, name)
    return withDataBeside(file, config)
  }
  return { config: await make({ command, evaluation: options.evaluation }), file, make }
}

/** A data folder is beside the configuration, as `.env` is, wherever the command is run. */
function withDataBeside(file: string, config: BeachConfig): BeachConfig {
  const folder = dirname(file)
  const { data } = config
  if (folder === process.cwd() || data === undefined) return config
  // An address stays one, also with a typing error, which is said where it is opened.
  const beside = (path: string) => (isAbsolute(path) || /^\w+:/.test(path) ? path : join(folder, path))
  if (typeof data !== 'string') {
    return data.folder === undefined ? config : { ...config, data: { ...data, folder: beside(data.folder) } }
  }
  return data === 'memory' ? config : { ...config, data: beside(data) }
}

async function exportOf(file: string, name: string): Promise<BeachConfigExport> {
  try {
    return ((await import(pathToFileURL(file).href)) as { readonly default: BeachConfigExport }).default
  } catch (cause) {
    if (cause instanceof BeachError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new BeachError('INVALID_CONFIGURATION', `${name} cannot be loaded: ${placeOf(cause)}${reason}`, { cause })
  }
}

/** Where an error is, as Node says in its stack: the configuration loads other files. */
function placeOf(error: unknown): string {
  const [, url, line] = /(file:\/\/\S+?):(\d+)/.exec(error instanceof Error ? (error.stack ?? '') : '') ?? []
  return url === undefined ? '' : `${relative(process.cwd(), fileURLToPath(url))}:${line}: `
}
