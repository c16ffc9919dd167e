import { createDiscordAdapter } from '@chat-adapter/discord'
import { createGoogleChatAdapter } from '@chat-adapter/gchat'
import { createSlackAdapter } from '@chat-adapter/slack'
import { createTeamsAdapter } from '@chat-adapter/teams'
import { createTelegramAdapter } from '@chat-adapter/telegram'
import { chatChannel } from '@cool-ai/beach-chat'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { echo, LastingStore, movableClock, secret, startProcess } from '../support/phone-context.ts'
import { silent } from './silent.ts'
import { strangersKey } from './strangers-key.ts'

/** Nothing answers there: what is forged must be refused before anything is asked of a platform. */
const nowhere = 'http://127.0.0.1:9'
const pem = strangersKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** All but that of Teams, which says something when it is made, have the loggers that they have by themselves. */
function adapters() {
  return {
    slack: createSlackAdapter({
      apiUrl: `${nowhere}/`,
      botToken: 'xoxb-1',
      signingSecret: 'secret-1',
      botUserId: 'U1',
    }),
    teams: createTeamsAdapter({ apiUrl: nowhere, appId: 'app-1', appPassword: 'password-1', logger: silent }),
    discord: createDiscordAdapter({
      apiUrl: nowhere,
      applicationId: '1',
      botToken: 'token-1',
      publicKey: '00'.repeat(32),
    }),
    gchat: createGoogleChatAdapter({
      apiUrl: nowhere,
      credentials: { client_email: 'agent@project.example', private_key: pem },
      googleChatProjectNumber: '1',
    }),
    telegram: createTelegramAdapter({
      apiUrl: nowhere,
      botToken: '1:a',
      secretToken: 'word-1',
      mode: 'webhook',
    }),
  }
}

const bodies: Readonly<Record<keyof ReturnType<typeof adapters>, unknown>> = {
  slack: {
    type: 'event_callback',
    event: { type: 'message', channel_type: 'im', channel: 'D1', user: 'U2', text: 'x', ts: '1.1' },
  },
  teams: { type: 'message', id: '1', text: 'x', from: { id: 'u' }, conversation: { id: 'c' }, serviceUrl: nowhere },
  discord: { type: 3, id: '1', data: { custom_id: 'approve' }, channel_id: '1', user: { id: '2', username: 'eve' } },
  gchat: {
    chat: { messagePayload: { space: { name: 'spaces/1' }, message: { name: 'spaces/1/messages/1', text: 'x' } } },
  },
  telegram: { update_id: 1, message: { message_id: 1, date: 1, chat: { id: 1, type: 'private' }, text: 'x' } },
}

let url = ''
const store = new LastingStore({ runtime: movableClock().runtime })

beforeAll(async () => {
  const { runtime } = movableClock()
  const process = await startProcess(echo, chatChannel({ adapters: adapters() }), { data: { store, secret }, runtime })
  url = process.url
  return async () => process.stop()
})

test.each(Object.keys(bodies) as (keyof typeof bodies)[])(
  'what is not signed by %s is refused, and nothing of it is stored, or written past the log',
  async (name) => {
    const written = (['log', 'info', 'warn', 'error'] as const).map((way) => vi.spyOn(console, way))
    onTestFinished(() => written.forEach((spy) => spy.mockRestore()))
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify(bodies[name])
    const answer = await fetch(`${url}/channels/chat/${name}`, { method: 'POST', headers, body })
    expect(answer.status).toBe(401)
    expect(await store.list('inbox:')).toEqual([])
    // Microsoft's SDK below that of Teams writes by itself, in one line that it has cleaned.
    const calls = written.flatMap((spy) => spy.mock.calls.map(String))
    expect(calls.filter((said) => !said.includes('@teams/app'))).toEqual([])
  },
)

test('a platform that the agent has no adapter for is not there', async () => {
  expect((await fetch(`${url}/channels/chat/other`, { method: 'POST', body: '{}' })).status).toBe(404)
})
