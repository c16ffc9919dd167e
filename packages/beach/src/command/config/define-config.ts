import type { BeachOptions } from '../../beach-options.ts'
import type { EvaluationPlace } from '../../evaluations/evaluation-place.ts'
import type { ServeOptions } from '../../serve.ts'

/** What `beach.config.ts` exports: the options of `createBeach`, and where the agent listens. */
export interface BeachConfig extends BeachOptions {
  /** Where the agent listens; the environment variable `PORT` comes before it. 4747 when left out, 0 takes a free one. */
  readonly port?: number | undefined
  /** The address of this machine that it listens on; 127.0.0.1 when left out. */
  readonly host?: string | undefined
  /** How it is served: TLS, the grace after a signal, and how long a request may take to come. */
  readonly serve?: Omit<ServeOptions, 'port' | 'host' | 'signals'> | undefined
}

/** What a configuration that is a function is told. */
export interface ConfigContext {
  /** The command that reads it: `start`, `dev`, `doctor`, … */
  readonly command: string
  /** With `beach eval`: the time, ids and data of one run, which tools of the agent can use too. */
  readonly evaluation?: EvaluationPlace | undefined
}

/** The default export of `beach.config.ts`. */
export type BeachConfigExport = BeachConfig | ((context: ConfigContext) => BeachConfig | Promise<BeachConfig>)

/**
 * Types the configuration of an agent, which `beach start` and the other commands read: an object, or a function that makes
 * one. Secrets come from the environment.
 */
export function defineConfig<Config extends BeachConfigExport>(config: Config): Config {
  return config
}
