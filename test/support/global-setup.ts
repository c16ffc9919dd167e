import type { TestProject } from 'vitest/node'
import { prepareChromium, type Chromium } from './chromium.ts'
import { PostgresServer } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly chromium: Chromium
    /** The address of a PostgreSQL server on which databases may be made. */
    readonly postgres: string
  }
}

/**
 * Runs once before all test files. Without a Chromium the browser tests fail and say why; the others still run. The
 * PostgreSQL server is the one that `DATABASE_URL` names, or else one of our own.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const given = process.env.DATABASE_URL
  const [chromium, server] = await Promise.all([prepareChromium(), given ? undefined : PostgresServer.start()])
  provide('chromium', chromium)
  provide('postgres', given || (server?.url() ?? ''))
  return async () => server?.[Symbol.asyncDispose]()
}
