import { knownOptions, type LevelOf } from '../../options/known-options.ts'
import type { BeachConfig } from './define-config.ts'

const serve = { tls: true, stopGraceMs: true, requestMs: true } satisfies LevelOf<NonNullable<BeachConfig['serve']>>

/** All options of a configuration: those of `createBeach`, and where the agent listens. */
export const knownConfig = { ...knownOptions, port: true, host: true, serve } satisfies LevelOf<BeachConfig>
