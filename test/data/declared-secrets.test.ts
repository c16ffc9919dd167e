import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineActor } from '@cool-ai/beach'
import { BeachError, type Channel } from '@cool-ai/beach-core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { inspected } from '../inspect/inspect-context.ts'
import { recorded } from '../telemetry/recorded.ts'

// The one begins like the other, and has characters that mean something in patterns and addresses.
const declared = 'canary-of-(the)-option+1'
const ofEnvironment = 'canary-of-(the)-option+1-and-of-the-environment'
const ofCaller = 'canary-of-the-caller-0123456789'

/** A door of an application that tells its callers too much. */
const careless: Channel = {
  transport: 'careless',
  deliveryClass: 'buffered',
  routes: [
    {
      method: 'GET',
      path: '/careless',
      answer: async () => {
        const cause = new Error(`GET https://crm.example/?key=${encodeURIComponent(declared)} failed`)
        throw new BeachError('UNREACHABLE', `The CRM did not take ${ofEnvironment}.`, { cause })
      },
    },
  ],
  start: async () => {},
}

const clerk = defineActor(async ({ text, tool, respond }) => {
  if (text.includes('break')) {
    throw new Error('The CRM is away.', { cause: new Error(`Basic ${Buffer.from(declared).toString('base64')}`) })
  }
  const { outcome, ...found } = await tool({ name: 'look_up', args: { url: `https://crm.example/${declared}` } }, () =>
    Promise.resolve({ header: `Bearer ${ofEnvironment}`, [declared]: 1 }),
  )
  await respond({
    parts: [{ partType: 'response', text: `${outcome}: ${JSON.stringify(found)}` }],
    turnState: 'complete',
  })
})

async function started() {
  vi.stubEnv('CRM_API_KEY', ofEnvironment)
  onTestFinished(() => void vi.unstubAllEnvs())
  const folder = mkdtempSync(join(tmpdir(), 'beach-secrets-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { runtime, written } = recorded()
  const context = await inspected({
    data: folder,
    actors: { clerk },
    runtime,
    redact: [declared],
    channels: [careless],
    telemetry: { metrics: true },
  })
  const stored = () => {
    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
    return files.map(({ name }) => readFileSync(join(folder, name), 'latin1')).join('\n')
  }
  return { ...context, written, stored }
}

test('a declared secret is in no line of the log, no answer of the inspector, no error and no stored byte', async () => {
  const { url, ask, talk, beach, written, stored } = await started()
  const anna = await talk()
  await anna.say(`My key is ${declared}, and the other one ${ofEnvironment}.`)
  await anna.say('break')
  const told = await fetch(`${url}/careless`)
  const shown = await Promise.all(
    [
      'sessions',
      `sessions/${anna.id}`,
      `sessions/${anna.id}/turns`,
      `sessions/${anna.id}/events`,
      'errors',
      'audit',
    ].map(async (path) => {
      const { status, text } = await ask(path)
      expect([path, status]).toEqual([path, 200])
      return text
    }),
  )
  await beach.missives?.caughtUp()
  const places = { log: written.join('\n'), error: await told.text(), stored: stored(), shown: shown.join('\n') }
  for (const [place, text] of Object.entries(places)) {
    expect(text, place).not.toMatch(/canary-of-\(the\)|canary-of-%28the/)
    expect(text, place).not.toContain(Buffer.from(declared).toString('base64').slice(0, 24))
    expect(text, place).toContain('[secret]')
  }
  // What is around a secret stays.
  expect(places.error).toContain('The CRM did not take [secret].')
  expect(places.shown).toContain('My key is [secret], and the other one [secret].')
  expect(places.log).toContain('The CRM is away.')
})

test('the credentials of a caller are in no line of the log, no metric and no answer of the inspector', async () => {
  const { url, ask, written } = await started()
  const headers = { authorization: `Bearer ${ofCaller}`, cookie: `beach_clerk=${ofCaller}`, 'x-api-key': ofCaller }
  for (const path of [
    '/sessions',
    '/sessions/sess_none/messages',
    `/sessions?token=${ofCaller}`,
    `/nothing/${ofCaller}`,
  ]) {
    const method = path.startsWith('/nothing') ? 'GET' : 'POST'
    const response = await fetch(url + path, { method, headers })
    // That there is nothing at a path is told to its caller, by that path.
    if (method === 'POST') expect(await response.text()).not.toContain(ofCaller)
  }
  const shown = await Promise.all(
    ['errors', 'audit', 'sessions', 'metrics'].map(async (path) => (await ask(path)).text),
  )
  const { headers: _, ...metrics } = await ask('../../metrics')
  expect(metrics.status).toBe(200)
  expect([...written, ...shown, metrics.text].join('\n')).not.toContain(ofCaller)
  expect(written.length).toBeGreaterThan(0)
})
