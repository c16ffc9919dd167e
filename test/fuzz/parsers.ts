import { readdirSync, readFileSync } from 'node:fs'
import { surfaceToHtml, surfaceToText, validateA2ui } from '@cool-ai/beach-a2ui'
import { parseJson } from '@cool-ai/beach-channel/http'
import { PartTypeRegistry, TurnStateRegistry } from '@cool-ai/beach-core'
import { parseEnvelope } from '@cool-ai/beach-protocol'
import { readAgentCard } from '@cool-ai/beach-protocol/agent-card'
import { EnvelopeStream } from '@cool-ai/beach-protocol/stream'
import { eventParser } from '../../packages/client/src/reliability/event-parser.ts'
import { decisionFromWords } from '../../packages/channel/src/people/decision-words.ts'
import { linearPattern } from '../../packages/core/src/linear-pattern/linear-pattern.ts'
import { htmlWords } from '../../packages/email/src/html-text.ts'
import { readMail } from '../../packages/email/src/read-mail.ts'
import { stripQuotes } from '../../packages/email/src/strip-quotes.ts'
import { clientEventSchema } from '../../packages/intentflow/src/schemas/client-payloads.ts'
import { isFlowError } from '../../packages/intentflow/src/schemas/flow-error.ts'
import { parsePath } from '../../packages/intentflow/src/schemas/patch-path.ts'
import { patchOperationSchema, serverEventSchema } from '../../packages/intentflow/src/schemas/server-payloads.ts'
import { applyOperations } from '../../packages/intentflow/src/state/operations.ts'
import { RespondParser } from '../../packages/llm/src/respond/respond-parser.ts'
import { resolvePointer } from '../../packages/protocol/src/json-pointer.ts'
import { isWellShaped } from '../../packages/protocol/src/frame-shape.ts'
import { foreignSchemaProblems } from '../../packages/protocol/src/json-schema/foreign-schema.ts'
import { safeName } from '../../packages/missives/src/artifacts/safe-name.ts'
import { Finding, type Edge } from './edge.ts'

const partTypes = PartTypeRegistry.canonical()
const turnStates = TurnStateRegistry.canonical()
const json = (value: unknown) => JSON.stringify(value)

/** JSON from a caller, as the doors read it. */
const read = (input: string) => parseJson(input, 32)

const respondCalls = [
  { turnState: 'complete', parts: [{ metadata: { partType: 'response' }, text: 'Two flights. 🛫 “BA 2043”' }] },
  { parts: [{ partType: 'domain-data', data: { flights: [{ id: 'BA 2043', price: 188.5 }] } }], turnState: 'awaiting' },
  {
    conversationState: 'clarify',
    parts: [{ text: 'When?', metadata: { partType: 'clarify', options: ['May', 'June'] } }],
  },
]

const envelope = {
  role: 'agent',
  parts: [
    { text: 'Hello.', metadata: { partType: 'response' } },
    {
      data: { trip: { to: 'Corfu' } },
      metadata: { partType: 'domain-data', slotKey: 'trip', mergeStrategy: 'deep-merge' },
    },
  ],
  meta: { turnId: 'turn_1', sessionId: 'sess_1', turnState: 'complete', eventId: 'ev_1', originatorId: 'sse:1' },
}

const card = {
  name: 'Plain',
  description: 'Knows A2A only.',
  version: '2024-11',
  supportedInterfaces: [{ url: 'https://plain.example/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: true, extensions: [{ uri: 'https://example.com/x', params: { a: [1, { b: 'c' }] } }] },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'echo', name: 'Echo', description: 'Repeats.', tags: ['echo'] }],
  securitySchemes: { key: { apiKeySecurityScheme: { name: 'x-key', location: 'header' } } },
}

const authoredCard = {
  id: 'travel',
  name: 'Travel',
  version: '1',
  capabilities: [{ id: 'search', description: 'Finds flights.', inputSchema: { type: 'object' } }],
  transports: [
    { type: 'a2a', url: 'https://travel.example/a2a' },
    { type: 'smtp', address: 'a@travel.example' },
  ],
  envelope: { consumes: ['llm-context'], emits: ['domain-data'] },
}

const [turnId, partId] = ['turn_1', 'turn_1.0.0']
const frames = [
  { kind: 'turn', turnId, epoch: 1, turnState: 'awaiting', actor: 'main' },
  { kind: 'delta', epoch: 1, turnId, partId, partType: 'response', offset: 0, text: 'Hel' },
  {
    kind: 'part',
    cursor: '3',
    role: 'agent',
    turnId,
    partId,
    part: { text: 'Hello', metadata: { partType: 'response' } },
    at: 5,
  },
  { kind: 'retract', epoch: 2, turnId, partIds: [partId] },
  { kind: 'settled', cursor: '5', turnId, epoch: 1, turnState: 'complete', finalizedBy: 'complete' },
]

const examples = new URL('../../packages/a2ui/conformance/examples/', import.meta.url)
const surfaces = readdirSync(examples).map((name) => {
  return json((JSON.parse(readFileSync(new URL(name, examples), 'utf8')) as { messages: unknown }).messages)
})

const flowEvents = [
  { name: 'intentflow.event', value: { instanceId: 'i_1', event: 'SUBMIT', payload: { a: 1 }, seq: 2, at: 5 } },
  { name: 'intentflow.invoke', value: { flowId: 'address', props: { a: [1] }, at: 5 } },
  {
    name: 'intentflow.render',
    value: { instanceId: 'i_1', flowId: 'address', props: {}, displayMode: 'modal', seq: 0, at: 1 },
  },
]

const operations = [
  [
    { op: 'set', path: 'items[0].quantity', value: 3 },
    { op: 'append', path: 'items[0].tags', value: 'z' },
  ],
  [
    { op: 'delete', path: 'sizes["extra large"]' },
    { op: 'prepend', path: 'items', value: {} },
  ],
]
const props = { items: [{ quantity: 1, tags: ['a'] }, { quantity: 2 }], total: 5, sizes: { 'extra large': 1, '0': 2 } }

const mails = [
  [
    'From: Anna <anna@corp.example>',
    'To: agent@example.com',
    'Subject: =?utf-8?q?Re:_Flights_=E2=9C=88?= [token abc]',
    'Message-ID: <1@corp.example>',
    'In-Reply-To: <2@agent.example>',
    'References: <3@x> <2@agent.example>',
    'MIME-Version: 1.0',
    'Content-Type: multipart/alternative; boundary="b1"',
    '',
    '--b1',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'yes=20please',
    '',
    'On Tue, 5 May 2026 Sally wrote:',
    '> Approve?',
    '',
    '--b1',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>yes <span style="display:none">no</span></p>',
    '--b1--',
    '',
  ].join('\r\n'),
  [
    'From: b@corp.example',
    'To: agent@example.com',
    'Subject: file',
    'Content-Type: multipart/mixed; boundary=x',
    '',
    '--x',
    'Content-Type: application/pdf; name="../a.pdf"',
    "Content-Disposition: attachment; filename*=utf-8''a%20b.pdf",
    'Content-Transfer-Encoding: base64',
    '',
    'JVBERi0xLjQK',
    '--x--',
    '',
  ].join('\r\n'),
]

const stream =
  'retry: 10\nid: 1\nevent: delta\ndata: {"text":"a"}\n\n: beat\n\ndata: a\ndata: b\r\n\r\nid\nevent: settled\ndata:\n\n'

const schemas = [
  {
    schema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a|b)+$' } }, required: ['a'] },
    value: { a: 'ab' },
  },
  {
    schema: { $defs: { n: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/n' }] } }, items: { $ref: '#/$defs/n' } },
    value: [null],
  },
  { schema: { oneOf: [{ const: 1 }, { enum: ['x', 2] }], not: { type: 'array' } }, value: 'x' },
]

/** The parsers of what comes from elsewhere: models, peers, browsers, mail. */
export const parsers: readonly Edge[] = [
  { name: 'respond()', samples: respondCalls.map(json), take: parseRespond },
  { name: 'JSON of a caller', samples: [...respondCalls, envelope, card].map(json), take: read },
  { name: 'envelope', samples: [json(envelope)], take: (input) => parseEnvelope(read(input)) },
  { name: 'Agent Card', samples: [json(card), json(authoredCard)], take: (input) => readAgentCard(read(input)) },
  { name: 'frames', samples: [json(frames)], take: foldFrames },
  { name: 'server-sent events', samples: [stream], take: parseStream },
  { name: 'A2UI', samples: surfaces, take: takeSurface },
  { name: 'flows', samples: flowEvents.map(json), take: takeFlowEvent },
  { name: 'flow operations', samples: operations.map(json), take: takeOperations, refuses: isFlowError },
  {
    name: 'JSON Pointer',
    samples: ['/items/0/tags/0', '/sizes/extra large', '/a~1b/~0', '', '/items/-'],
    take: (input) => resolvePointer(props, input),
  },
  { name: 'flow path', samples: ['items[0].tags', 'sizes["extra large"]', 'a.b[10]["c\\"d"]'], take: parsePath },
  { name: 'JSON Schema of a peer', samples: schemas.map(json), take: takeSchema },
  {
    name: 'pattern of a peer',
    samples: ['^(a|b)+$', '[\\w.-]{1,20}@x', '(?:a{2,3}|\\d*?)c', '^\\p{L}+$'],
    take: takePattern,
  },
  { name: 'mail', samples: mails, take: (input) => readMail(Buffer.from(input, 'latin1')) },
  { name: 'HTML of a mail', samples: ['<div>yes<blockquote>no</blockquote></div>', mails[0] ?? ''], take: htmlWords },
  {
    name: 'quotes of a mail',
    samples: ['yes\n\nOn 5 May, Sally wrote:\n> no', '> a\n> > b\nyes\n-- \nAnna'],
    take: stripQuotes,
  },
  { name: 'words of a decision', samples: ['yes', 'no, too dear', 'Approve 1234', 'ok 👍'], take: decisionFromWords },
  { name: 'name of a file', samples: ['a.pdf', '../../etc/passwd', 'CON.txt', 'ä\u202Efdp.exe'], take: checkName },
]

function parseRespond(input: string): void {
  const parser = new RespondParser({ partTypes, turnStates })
  for (let at = 0; at < input.length; at += 7) parser.push(input.slice(at, at + 7))
  parser.end()
}

function foldFrames(input: string): void {
  const given = read(input)
  if (!Array.isArray(given)) return
  const folded = new EnvelopeStream()
  for (const frame of given) if (isWellShaped(frame)) folded.apply(frame)
}

function parseStream(input: string): void {
  const parser = eventParser({ event: () => {} })
  const bytes = Buffer.from(input)
  for (let at = 0; at < bytes.length; at += 5) parser.push(bytes.subarray(at, at + 5))
}

/** Whether a tag is a script, has a handler or leads to code; words in a text or a value may look like that. */
function acts(html: string): boolean {
  const tags = html.match(/<[a-z!](?:[^"<>]|"[^"]*")*>/gi) ?? []
  return tags.some((tag) => {
    const names = tag.replaceAll(/"[^"]*"/g, '')
    return /^<script/i.test(tag) || /\son\w+\s*=/i.test(names) || /="\s*javascript:/i.test(tag)
  })
}

function takeSurface(input: string): void {
  const given = read(input)
  if (validateA2ui(given).problems.length > 0) return
  surfaceToText(given)
  const html = surfaceToHtml(given)
  if (acts(html)) throw new Finding(`HTML that acts: ${html.slice(0, 200)}`)
}

function takeFlowEvent(input: string): void {
  const given = read(input)
  clientEventSchema.safeParse(given)
  serverEventSchema.safeParse(given)
}

function takeOperations(input: string): void {
  const given = read(input)
  if (!Array.isArray(given)) return
  const parsed = given.flatMap((each) => patchOperationSchema.safeParse(each).data ?? [])
  const before = json(props)
  const changed = () => json(props) !== before
  try {
    applyOperations(props, parsed)
  } catch (error) {
    if (!changed()) throw error
  }
  if (changed()) throw new Finding('The properties before were changed.')
}

function takeSchema(input: string): void {
  const given = read(input) as { readonly schema?: unknown; readonly value?: unknown } | undefined
  const schema = given?.schema
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return
  foreignSchemaProblems(schema as Parameters<typeof foreignSchemaProblems>[0], given?.value, 'value')
}

function takePattern(input: string): void {
  const pattern = linearPattern(input)
  if ('problem' in pattern) return
  for (const text of ['ab'.repeat(200), 'a'.repeat(2_000), '@x', input.slice(0, 500)]) pattern.run(text, 20_000)
}

function checkName(input: string): void {
  const name = safeName(input)
  if (/[/\\\p{Cc}]|^\.\.?$/u.test(name) || name === '') throw new Finding(`No name of a file: ${json(name)}`)
}
