import type { Logger, Runtime } from '@cool-ai/beach-core'
import { runtimeWith } from '@cool-ai/beach-core/runtime'
import type { PlainOptions } from './earlier-options.ts'

/**
 * The runtime whose log says, in each line about an error of a turn or a session, where the inspector shows it. Without the
 * inspector, or where the agent's address is not known, it is as it was.
 */
export function withInspectLinks(runtime: Runtime, options: PlainOptions): Runtime {
  const { publicUrl } = options
  if (!isInspected(options) || publicUrl === undefined) return runtime
  const { logger } = runtime
  const linked: Logger = {
    level: logger.level,
    log(level, message, fields = {}) {
      const path = level === 'warn' || level === 'error' ? pathOf(level, fields) : undefined
      const link = path === undefined ? undefined : new URL(`inspect/${path}`, withSlash(publicUrl)).href
      logger.log(level, message, link === undefined ? fields : { ...fields, inspect: link })
    },
  }
  return runtimeWith(runtime, { logger: linked })
}

/** An error of a turn is found by its trace; what is a warning has no error part, and is in its session. */
function pathOf(level: 'warn' | 'error', fields: Readonly<Record<string, unknown>>): string | undefined {
  const { trace, session, errorId } = fields
  if (typeof errorId === 'string') return `errors/${errorId}`
  if (level === 'error' && typeof trace === 'string') return `traces/${trace}`
  return typeof session === 'string' ? `#/sessions/${encodeURIComponent(session)}/timeline` : undefined
}

/** Whether an agent has the inspector. */
export function isInspected({ inspect }: PlainOptions): boolean {
  return inspect !== undefined && inspect !== false
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`
}
