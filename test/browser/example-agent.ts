import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, vi } from 'vitest'
import { demoToday } from '../support/demo-today.ts'
import { startAgent, type AgentStart, type Running } from '../../examples/kit/run-agent.ts'

/** Runs an agent with its page in this process, for all tests of a file; gives its address, and what its start printed. */
export function exampleAgent(
  start: AgentStart,
  variables: Readonly<Record<string, string>> = {},
): (() => string) & { readonly printed: () => string } {
  let running: Running | undefined
  let folder = ''
  const printed: string[] = []
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'beach-test-'))
    const log = vi.spyOn(console, 'log').mockImplementation((...words) => void printed.push(words.join(' ')))
    for (const [name, value] of Object.entries({ DEMO_TODAY: demoToday, ...variables })) vi.stubEnv(name, value)
    running = await startAgent(start, { port: 0, folder, store: 'memory' }).finally(() => log.mockRestore())
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await running?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const url = () => {
    if (running === undefined) throw new Error('The agent has not started yet.')
    return running.url
  }
  return Object.assign(url, { printed: () => printed.join('\n') })
}
