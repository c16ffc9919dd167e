import type { ChannelHarness, ReceivedMessage, Utterance } from '@cool-ai/beach-testing/contracts'
import { slackText } from '@cool-ai/beach-testing/slack'
import { until, type PhoneProcess } from '../support/phone-context.ts'
import { slackContext } from './slack-context.ts'

/** People of a workspace, each with direct messages and threads in a channel, on the other side of the stand-in. */
export async function slackHarness(): Promise<ChannelHarness> {
  const { standIn, start } = await slackContext()
  const stamps = new Map<string, string>()
  const threads = new Map<string, { readonly root: string; readonly person: string }>()
  let process: PhoneProcess | undefined
  let count = 0

  const userOf = (person: string) => `U${person.toUpperCase()}`
  const stampOf = (name: string) => {
    const known = stamps.get(name) ?? `1770000000.${String(++count).padStart(6, '0')}`
    stamps.set(name, known)
    return known
  }

  /** A conversation with a name is a thread of a channel, which a mention begins. */
  function say({ person, text, id, thread }: Utterance): Promise<unknown> {
    if (process === undefined) return Promise.reject(new Error('No process is there.'))
    const ts = stampOf(`${person}:${id}`)
    if (thread === undefined) return standIn.say(userOf(person), text, { ts })
    const key = `${person}:${thread}`
    const begun = threads.get(key) ?? { root: ts, person }
    threads.set(key, begun)
    const place = { channel: 'CTEAM', thread: begun.root === ts ? undefined : begun.root, ts }
    return standIn.say(userOf(person), `<@${standIn.botUserId}> ${text}`, place)
  }

  const attacks: Readonly<Record<string, () => Promise<unknown>>> = {
    'a body that is no JSON': () => standIn.deliver('{"type":'),
    'JSON that is nested 10000 deep': () => standIn.deliver('['.repeat(10_000) + ']'.repeat(10_000)),
    'a key that reaches a prototype': () => standIn.deliver('{"__proto__":{"polluted":true},"type":"event_callback"}'),
    'a body of other things than it should have': () => standIn.deliver('{"type":"event_callback","event":7}'),
    'a message without a sender': () =>
      standIn.deliver(standIn.eventBody({ type: 'message', channel: 'DX', channel_type: 'im', ts: '1.1', text: 'x' })),
    'a message of an unknown type': () =>
      standIn.deliver(standIn.eventBody({ type: 'hologram', channel: 'DX', ts: '1.2' })),
    'a wrong signature': () =>
      standIn.deliver('{}', { 'x-slack-signature': 'v0=00', 'x-slack-request-timestamp': '1' }),
  }

  function received(person: string): ReceivedMessage[] {
    const own = new Set([...threads.values()].filter((thread) => thread.person === person).map(({ root }) => root))
    return standIn.messages
      .filter(({ user, channel, thread = '' }) => {
        return user === standIn.botUserId && (channel === `D${userOf(person)}` || own.has(thread))
      })
      .map((message) => ({ text: slackText(message), mark: message.ts, thread: message.thread ?? message.channel }))
  }

  return {
    tenant: 'default',
    async start(actor) {
      const started = await start(actor)
      process = started
      return {
        sessions: started.beach.sessions,
        async stop() {
          process = undefined
          await started.stop()
        },
      }
    },
    say,
    sayTooMuch: (person) => standIn.say(userOf(person), 'too much '.repeat(500_000)),
    attack: async (name) => attacks[name]?.(),
    received,
    attempts: () => standIn.attempts,
    receiver(state) {
      const states = {
        working: undefined,
        'out-of-order': { kind: 'answer', status: 500 },
        refusing: { kind: 'answer', status: 200, body: { ok: false, error: 'is_archived' } },
      } as const
      standIn.server.lasting = states[state]
    },
    until,
  }
}

export const slackAttacks = [
  'a body that is no JSON',
  'JSON that is nested 10000 deep',
  'a key that reaches a prototype',
  'a body of other things than it should have',
  'a message without a sender',
  'a message of an unknown type',
  'a wrong signature',
]
