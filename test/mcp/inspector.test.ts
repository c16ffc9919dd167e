import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CallToolResult } from '@modelcontextprotocol/client'
import { demoToday } from '../support/demo-today.ts'
import { answerOf, startConcierge, textsOf } from './support.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const inspector = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json')),
  'clients/launcher/build/index.js',
)

/** The MCP Inspector's command line: one request, and its result as JSON. */
async function inspect(target: readonly string[], ...args: readonly string[]): Promise<unknown> {
  const all = [inspector, '--cli', ...target, ...args, '--format', 'json', '-q']
  const home = mkdtempSync(join(tmpdir(), 'beach-inspector-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const env = { PATH: `${dirname(process.execPath)}:${PATH}`, HOME: home, NODE_COMPILE_CACHE }
  const child = spawn(process.execPath, all, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  try {
    return (JSON.parse(output) as { result: unknown }).result
  } catch {
    throw new Error(`The inspector said:\n${output}\n${errors}`)
  }
}

function talkTo(target: readonly string[], tool: string) {
  const call = async (name: string, args: Record<string, string>) => {
    const given = Object.entries(args).flatMap(([key, value]) => ['--tool-arg', `${key}=${value}`])
    return (await inspect(target, '--method', 'tools/call', '--tool-name', name, ...given)) as CallToolResult
  }
  return {
    say: (message: string, conversationId?: string) =>
      call(tool, { message, ...(conversationId !== undefined && { conversationId }) }),
    resume: (args: Record<string, string>) => call(`${tool}_resume`, args),
    read: (uri: string) => inspect(target, '--method', 'resources/read', '--uri', uri),
    tools: () => inspect(target, '--method', 'tools/list'),
  }
}

describe('the MCP Inspector', () => {
  test('holds a conversation over HTTP', async () => {
    const { url } = await startConcierge()
    const { say, resume, read, tools } = talkTo([url.href, '--transport', 'http'], 'ask_the_concierge')
    expect(await tools()).toMatchObject({
      tools: [{ name: 'ask_the_concierge' }, { name: 'ask_the_concierge_resume' }],
    })
    const { conversationId, pendingApprovals = [] } = answerOf(await say('book it'))
    const booked = await resume({ conversationId, approvalId: pendingApprovals[0] ?? '', decision: 'granted' })
    expect(textsOf(booked)[0]?.text).toBe('Booked: ref-1.')
    const { content } = await say('write a plan', conversationId)
    const link = content.find((block) => block.type === 'resource_link')
    expect(await read(link?.uri ?? '')).toMatchObject({ contents: [{ text: 'Day 1: Corfu.' }] })
  })

  test('holds a conversation on pipes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'beach-mcp-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const command = [process.execPath, '--conditions=@cool-ai/source', 'examples/travel/mcp.mjs']
    const target = [
      ...command,
      '-e',
      `BEACH_DATA=${folder}`,
      '-e',
      'BEACH_SCRIPT_MS=0',
      '-e',
      `DEMO_TODAY=${demoToday}`,
      '-e',
      `NODE_COMPILE_CACHE=${process.env.NODE_COMPILE_CACHE}`,
    ]
    const { say } = talkTo(target, 'ask_example_travel')
    const { conversationId, meta } = answerOf(await say('flights from London to Rome'))
    expect(meta.turnState).toBe('clarifying')
    expect(textsOf(await say('Gatwick', conversationId))[0]?.text).toMatch(/to Rome/)
  })
})
