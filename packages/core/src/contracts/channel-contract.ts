import { deepEqual, equal, notEqual, ok } from 'node:assert/strict'
import type { Originator } from '../originator.ts'
import type { AuthoredPart, Part } from '../part.ts'
import type { ToolCall, ToolOutcome, ToolRun } from '../ports/actor.ts'
import type { Sessions } from '../ports/sessions.ts'
import type { Principal } from '../principal.ts'
import type { TurnState } from '../registries/turn-states.ts'

/** What the suite's actors use of a turn; a function actor's context has all of it. */
export interface ContractTurn {
  readonly text: string
  readonly respond: (what: { readonly parts: readonly AuthoredPart[]; readonly turnState?: TurnState }) => Promise<void>
  readonly tool: <Value>(call: ToolCall, run: (run: ToolRun) => Promise<Value>) => Promise<ToolOutcome<Value>>
}

/** The actor of an agent that a channel is tested with. */
export type ContractActor = (turn: ContractTurn) => Promise<void>

/** A message of an external sender by the channel's protocol. */
export interface Utterance {
  /** The name of an external person; the harness gives each name an address, and the proof that it is theirs. */
  readonly person: string
  readonly text: string
  /** The protocol's id of the message; said twice with the same one it is the same message, delivered again. */
  readonly id: string
  /** The name of the conversation; a channel without threads ignores it. */
  readonly thread?: string
}

/** A message that has reached a recipient, oldest first. */
export interface ReceivedMessage {
  /** Everything that a reader sees: texts, headings, the words of buttons. */
  readonly text: string
  /** By which the receiver can tell that it has got the same message twice, where the protocol has such a mark. */
  readonly mark: string
  readonly thread?: string
}

/** One process: the channel and the sessions behind it. */
export interface ChannelProcess {
  readonly sessions: Sessions
  /** Ends it as a deployment does: the channel's signal first, then the sessions. The store stays. */
  readonly stop: () => Promise<void>
}

/** What the channel under test can do; cases that need something else are left out. */
export interface ChannelTraits {
  /** One person can have several conversations. */
  readonly threads: boolean
  /** It sends by itself; a channel that only answers a request has no retries of its own. */
  readonly pushes: boolean
  /** Approvals can be decided by it, by words that a person says. */
  readonly approvals: boolean
  /** Names of attacks that the harness knows; the usual message must still get through after each. */
  readonly attacks: readonly string[]
}

/** What a channel brings to be tested: real servers or faithful stand-ins of the other side, on a store of its own. */
export interface ChannelHarness {
  readonly tenant: string
  /** Starts a process on the harness's store; the push policy must try again within milliseconds, at least 4 times. */
  start(actor: ContractActor): Promise<ChannelProcess>
  /** Resolves once the sender need not repeat it; rejects when it was refused or there is no recipient. */
  say(utterance: Utterance): Promise<unknown>
  /** Says more than the channel takes at once. */
  sayTooMuch(person: string): Promise<unknown>
  attack(name: string): Promise<unknown>
  received(person: string): readonly ReceivedMessage[]
  /** The marks of all attempts to send something, those that failed too. */
  attempts(): readonly string[]
  /** How the recipient's server treats messages from now on: it fails for a while, or refuses for good. */
  receiver(state: 'working' | 'out-of-order' | 'refusing'): void
  /** Waits until the condition holds; fails when it never does. */
  until(condition: () => boolean | Promise<boolean>): Promise<void>
}

/** A promise that every channel must keep, with the test of it. */
export interface ChannelContractCase {
  readonly name: string
  run(harness: ChannelHarness): Promise<void>
}

interface TraitCase extends ChannelContractCase {
  readonly needs?: 'threads' | 'pushes' | 'approvals'
}

/** What every channel must do; each case gets a harness of its own and throws when the promise is broken. */
export function channelContract(traits: ChannelTraits): readonly ChannelContractCase[] {
  const usual = cases.filter(({ needs }) => needs === undefined || traits[needs])
  return [...usual, ...traits.attacks.map(attackCase)]
}

const cases: readonly TraitCase[] = [
  {
    name: 'takes a message in, and brings its answer to the sender, once',
    async run(harness) {
      const { sessions, stop } = await harness.start(echo)
      await harness.say({ person: 'anna', text: 'hello', id: 'm1' })
      await harness.until(() => hasGot(harness, 'anna', 'You said: hello'))
      equal(harness.received('anna').length, 1)
      const [conversation] = await conversations(sessions, harness)
      deepEqual(conversation?.said.length, 1)
      ok(conversation?.said[0]?.includes('hello'))
      await stop()
    },
  },
  {
    name: 'takes the same message only once, however often it is delivered',
    async run(harness) {
      const { sessions, stop } = await harness.start(echo)
      const message = { person: 'anna', text: 'hello', id: 'm1' }
      await Promise.allSettled([harness.say(message), harness.say(message)])
      await harness.until(() => hasGot(harness, 'anna', 'You said: hello'))
      await harness.say(message)
      await marker(harness)
      equal(count(harness, 'anna', 'You said: hello'), 1)
      equal((await allSaid(sessions, harness)).filter((text) => text.includes('hello')).length, 1)
      await stop()
    },
  },
  {
    name: 'takes the same message only once over a restart',
    async run(harness) {
      const first = await harness.start(echo)
      const message = { person: 'anna', text: 'hello', id: 'm1' }
      await harness.say(message)
      await harness.until(() => hasGot(harness, 'anna', 'You said: hello'))
      await first.stop()
      const second = await harness.start(echo)
      await harness.say(message)
      await marker(harness)
      equal(count(harness, 'anna', 'You said: hello'), 1)
      equal((await allSaid(second.sessions, harness)).filter((text) => text.includes('hello')).length, 1)
      await second.stop()
    },
  },
  {
    name: 'brings what is said in one conversation into one session, in order',
    async run(harness) {
      const { sessions, stop } = await harness.start(echo)
      for (const [index, text] of ['one', 'two', 'three'].entries()) {
        await harness.say({ person: 'anna', text, id: `m${index}`, thread: 'trip' })
        await harness.until(() => hasGot(harness, 'anna', `You said: ${text}`))
      }
      const all = await conversations(sessions, harness)
      equal(all.length, 1)
      const said = all[0]?.said ?? []
      equal(said.length, 3)
      ok(['one', 'two', 'three'].every((text, index) => said[index]?.includes(text)))
      await stop()
    },
  },
  {
    name: 'goes on with a conversation after a restart',
    async run(harness) {
      const first = await harness.start(echo)
      await harness.say({ person: 'anna', text: 'one', id: 'm1', thread: 'trip' })
      await harness.until(() => hasGot(harness, 'anna', 'You said: one'))
      await first.stop()
      const { sessions, stop } = await harness.start(echo)
      await harness.say({ person: 'anna', text: 'two', id: 'm2', thread: 'trip' })
      await harness.until(() => hasGot(harness, 'anna', 'You said: two'))
      equal((await conversations(sessions, harness)).length, 1)
      await stop()
    },
  },
  {
    name: 'keeps the conversations of one person apart',
    needs: 'threads',
    async run(harness) {
      const { sessions, stop } = await harness.start(echo)
      await harness.say({ person: 'anna', text: 'one', id: 'm1', thread: 'trip' })
      await harness.say({ person: 'anna', text: 'two', id: 'm2', thread: 'party' })
      await harness.until(() => hasGot(harness, 'anna', 'You said: one') && hasGot(harness, 'anna', 'You said: two'))
      equal((await conversations(sessions, harness)).length, 2)
      const [one, two] = ['one', 'two'].map((text) => find(harness, 'anna', `You said: ${text}`)?.thread)
      notEqual(one, two)
      await stop()
    },
  },
  {
    name: 'gives each person a session of their own, without the answers of others',
    async run(harness) {
      const { sessions, stop } = await harness.start(echo)
      await Promise.all([
        harness.say({ person: 'anna', text: 'from anna', id: 'm1' }),
        harness.say({ person: 'berta', text: 'from berta', id: 'm2' }),
      ])
      await harness.until(() => hasGot(harness, 'anna', 'from anna') && hasGot(harness, 'berta', 'from berta'))
      equal((await conversations(sessions, harness)).length, 2)
      ok(!hasGot(harness, 'anna', 'from berta'))
      ok(!hasGot(harness, 'berta', 'from anna'))
      await stop()
    },
  },
  {
    name: 'sends what the delivery rules allow, and nothing else',
    async run(harness) {
      const { stop } = await harness.start(talkative)
      await harness.say({ person: 'anna', text: 'hello', id: 'm1' })
      await harness.until(() => hasGot(harness, 'anna', 'the answer'))
      const everything = receivedText(harness, 'anna')
      for (const never of ['the reasoning', 'for models only', 'for the router', 'one moment', 'let me see']) {
        ok(!everything.includes(never), `'${never}' went out`)
      }
      await stop()
    },
  },
  {
    name: 'brings a long answer in whole, by as many messages as it takes',
    async run(harness) {
      const { stop } = await harness.start(longWinded)
      await harness.say({ person: 'anna', text: 'tell me all', id: 'm1' })
      await harness.until(() => hasGot(harness, 'anna', 'sentence 199.'))
      const everything = receivedText(harness, 'anna')
      for (const n of [0, 57, 123, 199]) ok(everything.includes(`sentence ${n}.`), `sentence ${n} is missing`)
      await stop()
    },
  },
  {
    name: 'tries again when the other side is out of order, each time with the same mark, until it has it once',
    needs: 'pushes',
    async run(harness) {
      const { stop } = await harness.start(echo)
      harness.receiver('out-of-order')
      await harness.say({ person: 'anna', text: 'hello', id: 'm1' })
      await harness.until(() => harness.attempts().length >= 2)
      equal(harness.received('anna').length, 0)
      harness.receiver('working')
      await harness.until(() => hasGot(harness, 'anna', 'You said: hello'))
      equal(new Set(harness.attempts()).size, 1)
      equal(count(harness, 'anna', 'You said: hello'), 1)
      await stop()
    },
  },
  {
    name: 'does not try again what was refused for good: it is a dead letter, and the next answer is sent',
    needs: 'pushes',
    async run(harness) {
      const { sessions, stop } = await harness.start(echo)
      harness.receiver('refusing')
      await harness.say({ person: 'anna', text: 'hello', id: 'm1', thread: 'trip' })
      const operator = operatorOf(harness)
      await harness.until(async () => (await sessions.deadLetters({}, operator)).items.length === 1)
      equal(harness.attempts().length, 1)
      harness.receiver('working')
      await harness.say({ person: 'berta', text: 'still there?', id: 'm2' })
      await harness.until(() => hasGot(harness, 'berta', 'You said: still there?'))
      equal(count(harness, 'anna', 'You said: hello'), 0)
      await stop()
    },
  },
  {
    name: 'refuses what is too large, keeps nothing of it, and goes on',
    async run(harness) {
      const { sessions, stop } = await harness.start(echo)
      await Promise.allSettled([harness.sayTooMuch('anna')])
      await harness.say({ person: 'berta', text: 'hello', id: 'm1' })
      await harness.until(() => hasGot(harness, 'berta', 'You said: hello'))
      const largest = Math.max(...(await allSaid(sessions, harness)).map((text) => text.length))
      ok(largest < 1_000_000, 'the large message was kept whole')
      await stop()
    },
  },
  {
    name: 'ends in the middle of a turn without losing it: the next process answers, once',
    async run(harness) {
      const begun = Promise.withResolvers<void>()
      const first = await harness.start(async () => {
        begun.resolve()
        await new Promise<never>(() => {})
      })
      await harness.say({ person: 'anna', text: 'hello', id: 'm1' })
      await begun.promise
      await first.stop()
      const second = await harness.start(echo)
      await harness.until(() => hasGot(harness, 'anna', 'You said: hello'))
      await marker(harness)
      equal(count(harness, 'anna', 'You said: hello'), 1)
      await second.stop()
    },
  },
  {
    name: 'ends with an answer not yet sent without losing it',
    needs: 'pushes',
    async run(harness) {
      const first = await harness.start(echo)
      harness.receiver('out-of-order')
      await harness.say({ person: 'anna', text: 'hello', id: 'm1' })
      await harness.until(() => harness.attempts().length >= 1)
      await first.stop()
      harness.receiver('working')
      const second = await harness.start(echo)
      await harness.until(() => hasGot(harness, 'anna', 'You said: hello'))
      equal(count(harness, 'anna', 'You said: hello'), 1)
      equal(new Set(harness.attempts()).size, 1)
      await second.stop()
    },
  },
  {
    name: 'takes nothing in once its signal is aborted, and loses nothing that it has said it took',
    async run(harness) {
      const first = await harness.start(echo)
      await first.stop()
      // The sender gets an error that there is no recipient, or its message waits; in both cases it may send it again.
      const message = { person: 'anna', text: 'hello', id: 'm1' }
      const [late] = await Promise.allSettled([harness.say(message)])
      const second = await harness.start(echo)
      if (late?.status === 'rejected') await harness.say(message)
      await harness.until(() => hasGot(harness, 'anna', 'You said: hello'))
      equal((await allSaid(second.sessions, harness)).length, 1)
      await second.stop()
    },
  },
  {
    name: 'asks for an approval, and takes a plain yes of whom it has asked',
    needs: 'approvals',
    async run(harness) {
      const ran: string[] = []
      const { stop } = await harness.start(booker(ran))
      await harness.say({ person: 'anna', text: 'book it', id: 'm1', thread: 'trip' })
      await harness.until(() => hasGot(harness, 'anna', 'BA 2043'))
      deepEqual(ran, [])
      await harness.say({ person: 'anna', text: 'yes', id: 'm2', thread: 'trip' })
      await harness.until(() => hasGot(harness, 'anna', 'booked: ok'))
      equal(ran.length, 1)
      await stop()
    },
  },
  {
    name: 'takes a no, after a restart too',
    needs: 'approvals',
    async run(harness) {
      const ran: string[] = []
      const first = await harness.start(booker(ran))
      await harness.say({ person: 'anna', text: 'book it', id: 'm1', thread: 'trip' })
      await harness.until(() => hasGot(harness, 'anna', 'BA 2043'))
      await first.stop()
      const second = await harness.start(booker(ran))
      await harness.say({ person: 'anna', text: 'no', id: 'm2', thread: 'trip' })
      await harness.until(() => hasGot(harness, 'anna', 'booked: denied'))
      deepEqual(ran, [])
      await second.stop()
    },
  },
  {
    name: 'asks again when an answer to an approval is not clear, and does nothing meanwhile',
    needs: 'approvals',
    async run(harness) {
      const ran: string[] = []
      const { stop } = await harness.start(booker(ran))
      await harness.say({ person: 'anna', text: 'book it', id: 'm1', thread: 'trip' })
      await harness.until(() => hasGot(harness, 'anna', 'BA 2043'))
      const before = harness.received('anna').length
      await harness.say({ person: 'anna', text: 'yes, but only if it is cheap', id: 'm2', thread: 'trip' })
      await harness.until(() => harness.received('anna').length > before)
      deepEqual(ran, [])
      await harness.say({ person: 'anna', text: 'yes', id: 'm3', thread: 'trip' })
      await harness.until(() => hasGot(harness, 'anna', 'booked: ok'))
      await stop()
    },
  },
]

function attackCase(name: string): ChannelContractCase {
  return {
    name: `survives ${name}, and the next message gets through`,
    async run(harness) {
      const { sessions, stop } = await harness.start(echo)
      await Promise.allSettled([harness.attack(name)])
      await harness.say({ person: 'berta', text: 'hello', id: 'after' })
      await harness.until(() => hasGot(harness, 'berta', 'You said: hello'))
      ok((await conversations(sessions, harness)).length <= 2)
      equal(({} as Record<string, unknown>).polluted, undefined)
      await stop()
    },
  }
}

const echo: ContractActor = async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'response', text: `You said: ${text.trim()}` }], turnState: 'complete' })
}

const talkative: ContractActor = async ({ respond }) => {
  await respond({
    parts: [
      { partType: 'ack', text: 'one moment' },
      { partType: 'thinking', text: 'let me see' },
    ],
    turnState: 'awaiting',
  })
  const parts: AuthoredPart[] = [
    { partType: 'reasoning-trace', text: 'the reasoning' },
    { partType: 'llm-context', text: 'for models only' },
    { partType: 'domain-data', data: { kind: 'secretless', note: 'for programs' } },
    { partType: 'response', text: 'the answer' },
  ]
  await respond({ parts, turnState: 'complete' })
}

const longWinded: ContractActor = async ({ respond }) => {
  const text = Array.from({ length: 200 }, (_, n) => `This is sentence ${n}.`).join(' ')
  await respond({ parts: [{ partType: 'response', text }], turnState: 'complete' })
}

function booker(ran: string[]): ContractActor {
  return async ({ respond, tool }) => {
    const call = { name: 'book', args: { flight: 'BA 2043' }, requiresApproval: true }
    const { outcome } = await tool(call, async ({ key }) => {
      ran.push(key)
    })
    await respond({ parts: [{ partType: 'response', text: `booked: ${outcome}` }], turnState: 'complete' })
  }
}

/** Something said and answered later: what was to come before it has come. */
async function marker(harness: ChannelHarness): Promise<void> {
  await harness.say({ person: 'marker', text: 'are you done?', id: 'marker' })
  await harness.until(() => hasGot(harness, 'marker', 'You said: are you done?'))
}

function find(harness: ChannelHarness, person: string, text: string): ReceivedMessage | undefined {
  return harness.received(person).find((message) => message.text.includes(text))
}

function receivedText(harness: ChannelHarness, person: string): string {
  return harness
    .received(person)
    .map(({ text }) => text)
    .join('\n')
}

function hasGot(harness: ChannelHarness, person: string, text: string): boolean {
  return find(harness, person, text) !== undefined
}

function count(harness: ChannelHarness, person: string, text: string): number {
  return harness.received(person).filter((message) => message.text.includes(text)).length
}

function operatorOf({ tenant }: ChannelHarness): Principal {
  return { kind: 'operator', id: 'contract', tenant }
}

interface Conversation {
  readonly sessionId: string
  readonly said: readonly string[]
}

/** The sessions that something was said in, and what that was. */
async function conversations(sessions: Sessions, harness: ChannelHarness): Promise<Conversation[]> {
  const principal = operatorOf(harness)
  const reader: Originator = { id: 'contract', transport: 'sse', deliveryClass: 'streaming', principal }
  const { items } = await sessions.list({ limit: 200 }, principal)
  const all = items.map(async ({ sessionId }) => {
    const said: string[] = []
    for await (const frame of sessions.history(sessionId, reader)) {
      if (frame.kind === 'part' && frame.role === 'user') said.push(textOf(frame.part))
    }
    return { sessionId, said }
  })
  return (await Promise.all(all)).filter(({ said }) => said.length > 0)
}

async function allSaid(sessions: Sessions, harness: ChannelHarness): Promise<string[]> {
  return (await conversations(sessions, harness)).flatMap(({ said }) => said)
}

function textOf({ text, data }: Part): string {
  return text ?? JSON.stringify(data)
}
