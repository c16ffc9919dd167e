// Makes a data folder with an earlier version of Beach, for `old-data.test.ts`. The two next to this file were made with
// commit bc5209f4 of 2026-11-15 (`schema-1.json.br`: each event has a row of its own) and with commit 690b5d2a of
// 2026-11-16 (`schema-3.json.br`: the first release), like this, with Node 24:
//
//   git worktree add /tmp/old <commit> && cd /tmp/old && npm ci
//   node --conditions=@cool-ai/source <this file> <where the fixture goes>
//
// The agent is that of the test. It is killed while a tool runs, so the folder also has a lease and SQLite's journals. A
// fixture is a JSON object, compressed by brotli: what the test needs to know, and the files in base64.
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync } from 'node:zlib'

const from = createRequire(join(process.cwd(), 'packages/beach/src/index.ts'))
const load = (name) => import(pathToFileURL(from.resolve(name)).href)
const { createBeach, openData, serve } = await load('@cool-ai/beach')
const { PartTypeRegistry, systemRuntime } = await load('@cool-ai/beach-core')
const { defineTool, llmActor, scriptedModel } = await load('@cool-ai/beach-llm')
const { createRegistry, defineFlow, defineHydrator, defineIntent } = await load('@intentflow/core')
const { registerEnvelopePartTypes } = await load('@cool-ai/beach-protocol')
const { createFlows } = await load('@intentflow/core/server')
const { createMachine } = await load('xstate')
const { z } = await load('zod')

const folder = mkdtempSync(join(tmpdir(), 'beach-old-'))
const data = await openData({ folder })
const runtime = systemRuntime()
let isWaiting = () => {}
const waiting = new Promise((resolve) => (isWaiting = resolve))

const pay = defineTool({
  name: 'pay',
  description: 'Pays an invoice.',
  inputSchema: z.object({ invoice: z.string() }),
  requiresApproval: true,
  approvalExpiresMs: 30 * 24 * 60 * 60 * 1_000,
  handler: () => ({ paid: true }),
})
const scan = defineTool({
  name: 'scan',
  description: 'Reads an invoice.',
  inputSchema: z.object({ invoice: z.string() }),
  idempotent: true,
  timeoutMs: 60_000,
  handler: async (_, { signal }) => {
    isWaiting()
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  },
})

const order = defineFlow({
  intentId: 'order.place',
  meta: { title: 'Place an order', description: 'Orders a coffee.' },
  schema: z.object({ item: z.string() }),
  machine: createMachine({
    initial: 'review',
    context: {},
    states: { review: { on: { CONFIRM: 'confirmed' } }, confirmed: { type: 'final' } },
  }),
  events: { CONFIRM: { source: 'client', label: 'Order' } },
  text: ({ props }) => `An order of a ${props.item}.`,
})
const intent = defineIntent({
  flow: order,
  extractionSchema: z.object({ item: z.string().optional() }),
  examples: ['order a coffee'],
  keywords: ['order'],
})
const hydrator = defineHydrator(order, intent, async ({ entities }) => ({ item: entities.item ?? 'cappuccino' }))
const registry = createRegistry({ flows: [order], intents: [intent], hydrators: [hydrator] })
const flows = createFlows({ registry, runtime, secret: data.secret })
const partTypes = PartTypeRegistry.canonical()
registerEnvelopePartTypes(partTypes)
flows.registerPartTypes(partTypes)

const say = (text) => ({ respond: { turnState: 'complete', parts: [{ partType: 'response', text }] } })
const call = (name, args) => ({ tools: [{ name, args }] })
const model = scriptedModel({
  rules: [
    { when: ({ results }) => results.has('pay'), say: () => say('A1 is paid.') },
    { when: ({ text }) => text.includes('pay'), say: () => call('pay', { invoice: 'A1' }) },
    { when: ({ results }) => results.has('scan'), say: () => say('A2 is read.') },
    { when: ({ text }) => text.includes('scan'), say: () => call('scan', { invoice: 'A2' }) },
    { when: ({ results }) => results.has('order__place'), say: () => say('Here is your order.') },
    { when: ({ text }) => text.includes('order'), say: () => call('order__place', { item: 'latte' }) },
    { say: ({ text }) => say(`You said: ${text}`) },
  ],
})

const { url, beach } = await serve(
  () =>
    createBeach({
      agent: { id: 'clerk', name: 'Clerk' },
      actors: {
        clerk: llmActor({ name: 'clerk', model, prompt: 'You pay invoices.', tools: [pay, scan, ...flows.tools()] }),
      },
      slices: [flows.slice],
      channels: [flows.channel()],
      partTypes,
      runtime,
      ...data,
    }),
  { port: 0 },
)

async function post(path, body, token) {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

/** The events of a session up to one that matches. */
async function until({ sessionId, token }, pattern, count = 1) {
  const response = await fetch(`${url}/sessions/${sessionId}/events`, { headers: { authorization: `Bearer ${token}` } })
  let text = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if ((text.match(pattern) ?? []).length >= count) return text
  }
  throw new Error(`The stream ended before ${pattern}:\n${text}`)
}

async function open(...messages) {
  const session = await post('/sessions', {})
  for (const [index, text] of messages.entries()) {
    await post(`/sessions/${session.sessionId}/messages`, { text }, session.token)
    await until(session, /^event: settled|"turnState":"suspended"/gm, index + 1)
  }
  return session
}

const talked = await open('good morning', 'and good night')
const asked = await open('pay A1')
const ordered = await open('order a latte')
const [, approvalId] = /"approvalId":"([^"]+)"/.exec(await until(asked, /"approvalId":"[^"]+"/g))
const artifact = await data.artifacts.put(new TextEncoder().encode('Paid with thanks.'), {
  name: 'receipt.txt',
  mimeType: 'text/plain',
  tenant: 'default',
  session: talked.sessionId,
})
const link = beach.artifactUrl(artifact, { expiresInMs: 365 * 24 * 60 * 60 * 1_000 })
await data.missives.identities.join(
  'default',
  ['email:ann@example.com', 'phone:+4930123456'],
  {
    at: Date.now(),
    kind: 'joined',
    by: 'principal:operator~ops',
    addresses: ['email:ann@example.com', 'phone:+4930123456'],
    how: 'operator',
  },
  'person_ann',
)
// The missives of what was said are written when they are read.
await beach.missives.caughtUp()
const { items } = await beach.missives.find({ text: 'night' }, { kind: 'operator', id: 'ops', tenant: 'default' })
if (items.length === 0) throw new Error('There are no missives.')
const killed = await post('/sessions', {})
await post(`/sessions/${killed.sessionId}/messages`, { text: 'scan A2' }, killed.token)
await waiting

const files = Object.fromEntries(
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    // The index of a journal is of this machine, and SQLite makes it anew.
    .filter((path) => statSync(path).isFile() && !path.endsWith('-shm'))
    .map((path) => [relative(folder, path), readFileSync(path).toString('base64')]),
)
const fixture = { at: Date.now(), talked, asked: { ...asked, approvalId }, ordered, killed, artifact, link, files }
const bytes = brotliCompressSync(JSON.stringify(fixture))
writeFileSync(process.argv[2], bytes)
console.log(`${Object.keys(files).length} files, ${bytes.length} bytes in ${process.argv[2]}`)
process.kill(process.pid, 'SIGKILL')
