import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { createBeach, serve, type BeachOptions } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exposedTools } from './exposed-tools.ts'
import { extend } from './fixture-extension.ts'
import { taskFront } from './task-front.ts'
import { worker } from './worker.ts'

const suite = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')
const client = fileURLToPath(new URL('client.ts', import.meta.url))

/** Runs the suite as any user would, in a folder of its own: it writes its results there. */
async function run(...args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'beach-conformance-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const program = join(dirname(suite), 'dist/index.js')
  const child = spawn(process.execPath, [program, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, output: output + errors }
}

/** An agent on a port, with what the suite looks for besides its own tools, resources and prompts. */
async function serveAgent(mcp?: NonNullable<BeachOptions['protocols']>['mcp']): Promise<string> {
  const runtime = systemRuntime({ logger: silentLogger })
  const beach = await createBeach({
    agent: { id: 'suite', name: 'Suite' },
    actors: { worker },
    data: { store: new MemoryStore({ runtime }), secret: new Uint8Array(32).fill(3) },
    runtime,
    exposedTools,
    protocols: { mcp: { extend, ...mcp } },
  })
  const serving = await serve(beach, { port: 0 })
  onTestFinished(() => serving.close())
  return new URL('/mcp', serving.url).href
}

/** The scenarios that a revision requires of servers. */
function requiredOfServers(revision: string): string[] {
  const lines = readFileSync(join(dirname(suite), 'requirements', `${revision}.yaml`), 'utf8').split('\n')
  const begin = lines.indexOf('server:')
  const end = lines.findIndex((line, index) => index > begin && /^\w/.test(line))
  return lines.slice(begin + 1, end).flatMap((line) => /^\s+- (\S+)/.exec(line)?.[1] ?? [])
}

describe('an agent that createBeach builds', () => {
  test.each([
    ['2026-07-28', 37],
    ['2025-11-25', 30],
  ])('passes every server scenario that %s requires', { timeout: 180_000 }, async (revision, count) => {
    const { code, output } = await run('server', '--url', await serveAgent(), '--requirements', revision)
    const required = requiredOfServers(revision)
    expect(required).toHaveLength(count)
    const failed = required.filter((name) => !new RegExp(`✓ ${name}: \\d+ passed, 0 failed`).test(output))
    expect(failed, output).toEqual([])
    expect(code).toBe(0)
  })
})

describe('tasks of an agent that createBeach builds', () => {
  test.each([
    'tasks-capability-negotiation',
    'tasks-wire-fields',
    'tasks-request-state-removal',
    'tasks-request-headers',
    'tasks-dispatch-and-envelope',
    'tasks-mrtr-input',
  ])('pass the scenario %s', { timeout: 120_000 }, async (scenario) => {
    const url = await taskFront(await serveAgent({ tasks: { afterMs: 0 } }), 'ask_suite')
    const { code, output } = await run('server', '--url', url, '--scenario', scenario)
    expect(code, output).toBe(0)
    expect(output).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/)
  })

  test('pass the scenario tasks-lifecycle but for a check of what is no task here', { timeout: 120_000 }, async () => {
    const url = await taskFront(await serveAgent({ tasks: { afterMs: 0 } }), 'ask_suite')
    const { output } = await run('server', '--url', url, '--scenario', 'tasks-lifecycle')
    const failed = [...stripVTControlCharacters(output).matchAll(/\[([\w-]+) *\] FAILURE/g)].map(([, id]) => id)
    expect(failed, output).toEqual(['sep-2663-tasks-get-status-failed'])
  })
})

describe('our client', () => {
  test.each([
    ['2026-07-28', 'tools_call'],
    ['2026-07-28', 'request-metadata'],
    ['2026-07-28', 'sep-2322-client-request-state'],
    ['2026-07-28', 'http-standard-headers'],
    ['2026-07-28', 'http-custom-headers'],
    ['2026-07-28', 'http-invalid-tool-headers'],
    ['2026-07-28', 'json-schema-ref-no-deref'],
    ['2025-11-25', 'initialize'],
    ['2025-11-25', 'tools_call'],
    ['2025-11-25', 'elicitation-sep1034-client-defaults'],
    ['2025-11-25', 'sse-retry'],
  ])('passes, of %s, the scenario %s', { timeout: 60_000 }, async (revision, scenario) => {
    const command = `${process.execPath} --conditions=@cool-ai/source ${client}`
    const place = ['--spec-version', revision, '--scenario', scenario]
    const { code, output } = await run('client', '--command', command, ...place)
    expect(output).toContain('OVERALL: PASSED')
    expect(code).toBe(0)
  })
})
