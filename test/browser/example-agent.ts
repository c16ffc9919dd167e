import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { startAgent, type AgentStart, type Running } from '../../examples/chat-page/run-agent.ts'

/** Runs an agent with its page in this process, for all tests of a file; gives its address. */
export function exampleAgent(start: AgentStart): () => string {
  let running: Running | undefined
  let folder = ''
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'beach-test-'))
    running = await startAgent(start, { port: 0, folder, store: 'memory' })
  })
  afterAll(async () => {
    await running?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return () => {
    if (running === undefined) throw new Error('The agent has not started yet.')
    return running.url
  }
}
