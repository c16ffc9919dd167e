import { createHmac } from 'node:crypto'
import { createSlackAdapter } from '@chat-adapter/slack'
import { createBeach, defineActor, type Beach } from '@cool-ai/beach'
import { chatChannel } from '@cool-ai/beach-chat'
import { defineTool, exposedTools } from '@cool-ai/beach-llm'
import { silentLogger, systemRuntime, type Authenticator, type Slice } from '@cool-ai/beach-core'
import { standardWebhooks, webhooks } from '@cool-ai/beach-hooks'
import { sms, whatsApp } from '@cool-ai/beach-phones'
import { CountedStore } from './counted-store.ts'
import { Finding, type Edge } from './edge.ts'

const word = 'a'.repeat(32)
const whsec = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const origin = 'http://127.0.0.1'
const json = (value: unknown) => JSON.stringify(value)

/** Callers are known by a header: what is tried here is what comes after that. */
const authenticator: Authenticator = async ({ headers }) => {
  const id = headers.get('x-who')
  return id === null ? undefined : { principal: { kind: 'user', id, tenant: 'default' }, credential: { type: 'test' } }
}

const echo = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'response', text: `You said: ${text.slice(0, 50)}` }], turnState: 'complete' })
})

const counter: Slice<number> = {
  ns: 'counter',
  version: 1,
  initial: 0,
  fold: (state) => state,
  handle: () => ({ drafts: [], reply: { answer: { status: 'accepted' } } }),
}

const book = defineTool({
  name: 'book',
  description: 'Books a flight.',
  peerExposed: true,
  inputSchema: {
    type: 'object',
    properties: { flight: { type: 'string', maxLength: 20 }, seats: { type: 'integer', maximum: 9 } },
    required: ['flight'],
  },
  handler: async (given) => ({ booked: given }),
})

/** An agent with every channel that takes requests, on a store that tells what they have changed. */
export class Doors {
  readonly store: CountedStore
  readonly beach: Beach
  readonly session: string

  private constructor(store: CountedStore, beach: Beach, session: string) {
    this.store = store
    this.beach = beach
    this.session = session
  }

  static async open(): Promise<Doors> {
    const runtime = { ...systemRuntime(), logger: silentLogger }
    const store = new CountedStore({ runtime })
    const beach = await createBeach({
      agent: {
        id: 'clerk',
        name: 'Clerk',
        description: 'Pays invoices.',
        capabilities: [{ id: 'pay', description: 'Pays.' }],
      },
      data: { store, secret: Buffer.alloc(32, 7) },
      actors: { echo },
      publicUrl: `${origin}/`,
      exposedTools: exposedTools([book], runtime),
      slices: [counter],
      inspect: { operators: { anna: 'x'.repeat(32) } },
      access: { authenticators: [authenticator] },
      limits: {
        principal: { messages: { perMinute: Infinity }, sessions: { perMinute: Infinity } },
        mailbox: 1_000_000,
      },
      // Streams are left here after each request: what that stops later is not caused by the next one.
      protocols: {
        agui: { cancelOnDisconnect: false },
        aiSdk: { cancelOnDisconnect: false },
        openai: { cancelOnDisconnect: false },
      },
      runtime,
      channels: [
        whatsApp({ phoneNumberId: '1', accessToken: 't', appSecrets: [word], verifyToken: 'a long word' }),
        sms({ accountSid: `AC${'1'.repeat(32)}`, authTokens: [word], from: '+447700900000', countries: ['GB'] }),
        chatChannel({ adapters: { slack: slack() }, push: { attempts: 1 } }),
        webhooks({ hooks: { desk: { verify: standardWebhooks({ secrets: [whsec] }), parts: deskParts } } }),
      ],
    })
    const opened = await beach.fetch(
      new Request(`${origin}/sessions`, { method: 'POST', headers: { 'x-who': 'ann', ...asJson }, body: '{}' }),
    )
    const { sessionId } = (await opened.json()) as { sessionId: string }
    return new Doors(store, beach, sessionId)
  }

  /** Sends a request; one that is refused must have changed nothing, and none may fail for a reason of ours. */
  async send(path: string, init: RequestInit): Promise<void> {
    const request = new Request(origin + path.replace(':id', this.session), { method: 'POST', ...init })
    const { result: response, changes } = await this.store.during(() => this.beach.fetch(request))
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    const body = isStream ? '' : await response.text()
    if (isStream) await response.body?.cancel()
    if (response.status >= 500) throw new Finding(`${response.status}: ${body.slice(0, 300)}`)
    const isRefused = response.status >= 400 || /^\{"jsonrpc":"2\.0",.*"error":\{"code":/s.test(body)
    if (isRefused && changes.length > 0) {
      throw new Finding(`${response.status}, and yet ${changes.join(', ')}: ${body.slice(0, 300)}`)
    }
  }
}

/** A workspace that nothing can be asked of: what comes from it is all that is known. */
function slack() {
  return createSlackAdapter({
    apiUrl: 'http://127.0.0.1:9/',
    botToken: 'xoxb-1',
    signingSecret: word,
    botUserId: 'U1',
    webClientOptions: { retryConfig: { retries: 0 }, logger: silentSlack },
    logger: silentSlack,
  })
}

function deskParts(payload: unknown) {
  const { text } = Object(payload) as { readonly text?: unknown }
  return typeof text === 'string' ? [{ partType: 'message', text }] : []
}

const nothing = () => {}
const silentSlack = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => silentSlack,
  setLevel: nothing,
  getLevel: () => 'error' as never,
  setName: nothing,
}

const operator = { authorization: `Bearer ${'x'.repeat(32)}` }

const asJson = { 'content-type': 'application/json' }
const known = { 'x-who': 'ann', ...asJson }

interface Door {
  readonly name: string
  readonly path: string
  readonly samples: readonly unknown[]
  readonly headers?: (body: string) => Record<string, string>
}

const userMessage = { role: 'ROLE_USER', messageId: 'm1', parts: [{ text: 'hello' }], contextId: 'c1' }
const rpc = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params })
const chatMessages = [
  { role: 'system', content: 'Be kind.' },
  { role: 'user', content: [{ type: 'text', text: 'hello' }] },
]
const uiMessages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'hello' }] }]

const doors: readonly Door[] = [
  { name: 'POST /sessions', path: '/sessions', samples: [{}] },
  {
    name: 'messages',
    path: '/sessions/:id/messages',
    samples: [
      { text: 'hello' },
      {
        parts: [
          { text: 'hello', metadata: { partType: 'message' } },
          { data: { a: 1 }, metadata: { partType: 'domain-data' } },
        ],
      },
      {
        parts: [
          {
            data: {
              version: 'v0.9',
              action: {
                name: 'go',
                surfaceId: 's',
                sourceComponentId: 'b',
                timestamp: '2026-05-05T10:00:00Z',
                context: {},
              },
            },
            metadata: { partType: 'a2ui-action' },
          },
        ],
      },
      { parts: [{ data: { approvalId: 'appr_1', decision: 'granted' }, metadata: { partType: 'approval-response' } }] },
    ],
  },
  {
    name: 'approvals',
    path: '/sessions/:id/approvals/appr_1',
    samples: [{ decision: 'granted', reason: 'ok', args: { a: 1 }, allow: { upTo: 5 } }],
  },
  { name: 'cancel', path: '/sessions/:id/cancel', samples: [{ turnId: 'turn_1' }, {}] },
  { name: 'join', path: '/join', samples: [{ code: 'abc' }] },
  { name: 'token', path: '/token', samples: [{ refreshToken: 'a.b.c' }] },
  {
    name: 'A2A by JSON-RPC',
    path: '/a2a',
    headers: () => ({ ...known, 'a2a-version': '1.0' }),
    samples: [
      rpc('SendMessage', {
        message: userMessage,
        configuration: { acceptedOutputModes: ['text/plain'], historyLength: 2 },
      }),
      rpc('SendStreamingMessage', {
        message: { ...userMessage, parts: [{ data: { x: [1] } }, { url: 'https://files.example/a', filename: 'a' }] },
      }),
      rpc('GetTask', { id: 'task-1' }),
      rpc('CreateTaskPushNotificationConfig', { taskId: 't', config: { url: 'https://x.example/', token: 't' } }),
      rpc('ListTasks', { pageSize: 5, contextId: 'c1' }),
    ],
  },
  {
    name: 'A2A by REST',
    path: '/a2a/rest/message:send',
    headers: () => ({ ...known, 'a2a-version': '1.0' }),
    samples: [{ message: userMessage }],
  },
  {
    name: 'MCP',
    path: '/mcp',
    headers: () => ({ ...known, accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' }),
    samples: [
      rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } }),
      rpc('tools/list', {}),
      rpc('tools/call', { name: 'book', arguments: { flight: 'BA 1', seats: 2 } }),
      rpc('resources/read', { uri: 'ui://x' }),
    ],
  },
  {
    name: 'AG-UI',
    path: '/agui',
    samples: [
      {
        threadId: 't1',
        runId: 'r1',
        state: { a: { b: 1 } },
        messages: [{ id: 'm1', role: 'user', content: 'hello' }],
        tools: [{ name: 'pick', description: 'Picks.', parameters: { type: 'object', properties: {} } }],
        context: [{ description: 'd', value: 'v' }],
        forwardedProps: { counter: { x: 1 } },
      },
    ],
  },
  { name: 'AI SDK', path: '/chat', samples: [{ id: 'c1', messages: uiMessages, trigger: 'submit-message' }] },
  {
    name: 'OpenAI chat',
    path: '/v1/chat/completions',
    samples: [{ model: 'clerk', messages: chatMessages, stream: false }],
  },
  {
    name: 'OpenAI responses',
    path: '/v1/responses',
    samples: [
      {
        model: 'clerk',
        input: [{ role: 'user', content: [{ type: 'input_text', text: 'hello' }] }],
        instructions: 'Be kind.',
        tools: [{ type: 'function', name: 'pick', parameters: { type: 'object', properties: {} } }],
        metadata: { a: 'b' },
        text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' } } },
      },
      { model: 'clerk', input: 'hello', previous_response_id: 'resp_sess_1_2_turn_1', background: true },
      { model: 'clerk', input: [{ type: 'function_call_output', call_id: 'call_1', output: 'x' }] },
    ],
  },
  { name: 'OpenAI conversations', path: '/v1/conversations', samples: [{ metadata: { a: 'b' } }] },
  {
    name: 'operators decide',
    path: '/inspect/api/approvals/appr_1',
    headers: () => ({ ...asJson, ...operator }),
    samples: [{ decision: 'granted', reason: 'ok' }],
  },
  {
    name: 'operators revoke',
    path: '/inspect/api/revocations',
    headers: () => ({ ...asJson, ...operator }),
    samples: [{ session: 'sess_1' }, { principal: 'user~x' }, { token: 'a.b.c' }],
  },
  {
    name: 'operators replay',
    path: '/inspect/api/sessions/sess_1/replay',
    headers: () => ({ ...asJson, ...operator }),
    samples: [{ from: 'turn_1', turns: 1, model: 'm' }],
  },
  { name: 'inbox', path: '/approvals/appr_1', samples: [{ decision: 'granted', reason: 'ok', args: { a: 1 } }] },
  {
    name: 'webhook',
    path: '/webhooks/desk',
    samples: [{ text: 'hello' }],
    headers: (body) => {
      const timestamp = Math.floor(Date.now() / 1_000)
      const signed = createHmac('sha256', Buffer.alloc(32, 9))
        .update(`m_${body.length}.${timestamp}.${body}`)
        .digest('base64')
      return {
        ...asJson,
        'webhook-id': `m_${body.length}`,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': `v1,${signed}`,
      }
    },
  },
  {
    name: 'Slack events',
    path: '/channels/chat/slack',
    headers: (body) => signedBySlack(body, 'application/json'),
    samples: [
      {
        type: 'event_callback',
        team_id: 'T1',
        event_id: 'Ev1',
        event: {
          type: 'message',
          channel_type: 'im',
          channel: 'D1',
          user: 'U2',
          username: 'anna',
          text: 'hello <@U1>',
          ts: '1770000000.000001',
          team: 'T1',
          files: [{ id: 'F1', name: 'a.png', mimetype: 'image/png', size: 5, url_private: 'https://files.example/a' }],
        },
      },
    ],
  },
  {
    name: 'WhatsApp',
    path: '/channels/whatsapp',
    samples: [
      {
        object: 'whatsapp_business_account',
        entry: [
          {
            id: 'w',
            changes: [
              {
                field: 'messages',
                value: {
                  messaging_product: 'whatsapp',
                  metadata: { phone_number_id: '1', display_phone_number: '1' },
                  contacts: [{ wa_id: '447700900123', profile: { name: 'Ann' } }],
                  messages: [
                    { id: 'wamid.1', from: '447700900123', timestamp: '1', type: 'text', text: { body: 'hello' } },
                  ],
                },
              },
            ],
          },
        ],
      },
    ],
    headers: (body) => ({
      ...asJson,
      'x-hub-signature-256': `sha256=${createHmac('sha256', word).update(body).digest('hex')}`,
    }),
  },
]

function signedBySlack(body: string, type: string): Record<string, string> {
  const time = String(Math.floor(Date.now() / 1_000))
  const signature = createHmac('sha256', word).update(`v0:${time}:${body}`).digest('hex')
  return { 'content-type': type, 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${signature}` }
}

const slackUser = { id: 'U2', username: 'anna', name: 'Anna', team_id: 'T1' }
const slackPayloads = [
  {
    type: 'block_actions',
    team: { id: 'T1' },
    user: slackUser,
    trigger_id: 't1',
    channel: { id: 'D1', name: 'd' },
    container: { type: 'message', message_ts: '1.1', channel_id: 'D1' },
    message: { ts: '1.1' },
    actions: [{ type: 'button', action_id: 'form-1', value: '1', action_ts: '1' }],
  },
  {
    type: 'view_submission',
    team: { id: 'T1' },
    user: slackUser,
    view: {
      id: 'V1',
      callback_id: 'form',
      private_metadata: '{"c":"form_1"}',
      state: { values: { f0: { f0: { value: 'Rome' } } } },
    },
  },
]

/** The routes of an agent, each with bodies that were right and are damaged. */
export function doorEdges(agent: Doors): Edge[] {
  const posted = doors.map(({ name, path, samples, headers = () => known }): Edge => ({
    name,
    samples: samples.map(json),
    take: (body) => {
      // What is sent are bytes: a lone half of a surrogate pair becomes another character on the way.
      const sent = Buffer.from(body).toString()
      return agent.send(path, { headers: headers(sent), body: sent })
    },
  }))
  const form = new URLSearchParams({
    MessageSid: `SM${'1'.repeat(32)}`,
    AccountSid: `AC${'1'.repeat(32)}`,
    From: '+447700900123',
    To: '+447700900000',
    Body: 'hello',
    NumMedia: '0',
  })
  return [
    ...posted,
    {
      name: 'Slack interactions',
      samples: slackPayloads.map(json),
      take: (payload) => {
        const body = new URLSearchParams({ payload: Buffer.from(payload).toString() }).toString()
        const headers = signedBySlack(body, 'application/x-www-form-urlencoded')
        return agent.send('/channels/chat/slack', { headers, body })
      },
    },
    {
      name: 'SMS',
      samples: [form.toString()],
      take: (body) => {
        const fields = [...new URLSearchParams(body)].toSorted(([a], [b]) => (a < b ? -1 : 1))
        const text = `${origin}/channels/sms${fields.map((field) => field.join('')).join('')}`
        const signature = createHmac('sha1', word).update(text).digest('base64')
        const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature }
        return agent.send('/channels/sms', { headers, body: Buffer.from(body).toString() })
      },
    },
    {
      name: 'paths and queries',
      samples: [
        '/sessions/sess_1/events?after=1',
        '/artifacts/art_1?token=a',
        '/.well-known/agent-card.json',
        '/inspect/api/sessions?search=x',
        '/a2a/rest/tasks/1:subscribe',
        '/v1/models/clerk',
        '/v1/responses/resp_sess_1_2_turn_1?stream=true&starting_after=1',
        '/openapi.json',
        '/approvals',
        '/login?to=/inbox',
        '/login/callback?code=a&state=b',
        '/approvals/decide?token=a.b',
      ],
      take: (path) => {
        const url = `/${path.replaceAll(/[^\x21-\x7e]/g, '%FF').replace(/^\/+/, '')}`
        return URL.canParse(origin + url) ? agent.send(url, { method: 'GET', headers: { 'x-who': 'ann' } }) : undefined
      },
    },
  ]
}
