import type { ChannelHarness, ReceivedMessage, Utterance } from '@cool-ai/beach-testing/contracts'
import { harnessProcess } from '../support/harness-process.ts'
import { until } from '../support/phone-context.ts'
import type { TestedPlatform } from './platforms/index.ts'
import type { SeenMessage } from './platforms/work-chat.ts'
import { workChatContext } from './work-chat-context.ts'

const idsFrom: Readonly<Record<string, (count: number) => string>> = {
  slack: (count) => `1770000000.${String(count).padStart(6, '0')}`,
  discord: (count) => String(600_000_000_000_000_000n + BigInt(count)),
  teams: (count) => String(1_500_000_000_000 + count),
  gchat: (count) => `h${count}.h${count}`,
  telegram: (count) => String(500_000 + count),
}

/** People of a platform, each with direct messages and threads in a channel, on the other side of the stand-in. */
export async function workChatHarness({ open, platform }: TestedPlatform): Promise<ChannelHarness> {
  const { chat, start } = await workChatContext(open)
  const ids = new Map<string, string>()
  const threads = new Map<string, { readonly root: string; readonly first: string; readonly person: string }>()
  const process = harnessProcess((actor) => start(actor))

  const idOf = (name: string) => {
    const known = ids.get(name) ?? idsFrom[platform]?.(ids.size + 1) ?? `id-${ids.size + 1}`
    ids.set(name, known)
    return known
  }

  /** A conversation with a name is a thread of a channel, which a mention begins. */
  async function say({ person, text, id: name, thread }: Utterance): Promise<unknown> {
    process.requireRunning()
    const id = idOf(`${person}:${name}`)
    if (thread === undefined) return chat.tell(person, text, { id })
    const key = `${person}:${thread}`
    const begun = threads.get(key)
    const root = await chat.mention(person, text, { id, thread: begun?.first === id ? undefined : begun?.root })
    if (begun === undefined) threads.set(key, { root, first: id, person })
    return undefined
  }

  function received(person: string): ReceivedMessage[] {
    const own = new Set([...threads.values()].filter((thread) => thread.person === person).map(({ root }) => root))
    const inThreads = chat.team(person).filter(({ thread }) => own.has(thread))
    return [...chat.direct(person), ...inThreads].map(({ text, id, thread }: SeenMessage) => ({
      text,
      mark: id,
      thread,
    }))
  }

  return {
    tenant: 'default',
    start: (actor) => process.start(actor),
    say,
    sayTooMuch: (person) => chat.tell(person, 'too much '.repeat(500_000)),
    attack: async (name) => (chat.odd[name] ?? chat.forged[name])?.(),
    received,
    attempts: () => chat.attempts(),
    receiver(state) {
      const states = {
        working: undefined,
        'out-of-order': { kind: 'answer', status: 500 },
        refusing: chat.refusal,
      } as const
      chat.server.lasting = states[state]
    },
    until,
  }
}
