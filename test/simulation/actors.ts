import { sleep, type Actor, type Clock } from '@cool-ai/beach-core'
import { defineActor, type ActorContext } from '@cool-ai/beach-session'

/** What the outside world has seen of tools: how often each call took effect. */
export class Ledger {
  readonly runs = new Map<string, { idempotent: boolean; count: number }>()

  record(key: string, idempotent: boolean): void {
    const entry = this.runs.get(key) ?? { idempotent, count: 0 }
    entry.count++
    this.runs.set(key, entry)
  }
}

export const stories = [
  'plain',
  'flow',
  'tool',
  'idempotent',
  'approval',
  'two-approvals',
  'pass',
  'broken',
  'research',
  'background',
] as const

/** Actors whose answer follows from the message alone, so that it can be checked from outside. */
export function simulatedActors(clock: Clock, random: () => number, ledger: Ledger): Readonly<Record<string, Actor>> {
  const pause = () => sleep(clock, random() * 6_000)
  const tell = (text: string) => ({ parts: [{ partType: 'response', text }], turnState: 'complete' })

  const run =
    (name: string, idempotent: boolean) =>
    async ({ key }: { key: string }) => {
      await pause()
      ledger.record(key, idempotent)
      await pause()
      return name
    }

  const desk = async (turn: ActorContext) => {
    const { text, respond, began } = turn
    if (text === '') return respond(tell(`done: ${began.map(({ kind }) => kind).join(' ')}`))
    await respond({ parts: [{ partType: 'ack', text: `on it: ${text}` }], turnState: 'awaiting' })
    await pause()
    const [story = 'plain'] = text.split(' ')
    switch (story) {
      case 'flow':
        return respond({ parts: [{ partType: 'response', text: flowing(`done: ${text}`) }], turnState: 'complete' })
      case 'tool':
      case 'idempotent': {
        const idempotent = story === 'idempotent'
        const outcome = await turn.tool({ name: 'act', args: { text }, idempotent }, run('acted', idempotent))
        return respond(tell(`done: ${text} ${outcome.outcome}`))
      }
      case 'approval':
      case 'two-approvals': {
        const names = story === 'approval' ? ['pay'] : ['pay', 'post']
        const planned = names.map((name) => ({
          call: { name, args: { text }, requiresApproval: true },
          run: run(name, false),
        }))
        const outcomes = await turn.tools(planned)
        return respond(tell(`done: ${text} ${outcomes.map(({ outcome }) => outcome).join(' ')}`))
      }
      case 'research': {
        const research = await turn.manifest({ name: 'research', slots: sections(text), deadlineMs: 20_000 })
        const { results, missing } = await research.settled()
        const found = results.map(({ slot, outcome }) => `${slot}:${outcome}`).join(' ')
        return respond(tell(`done: ${text} ${found} without ${missing.join(' ')}`))
      }
      case 'background': {
        await turn.manifest({ name: 'later', slots: sections(text) })
        return respond(tell(`done: ${text} begun`))
      }
      case 'pass':
        return respond({ parts: [{ partType: 'thinking', text: 'over' }], turnState: 'passed', passTo: 'clerk' })
      case 'broken':
        throw new Error('broken on purpose')
      default:
        return respond(tell(`done: ${text}`))
    }
  }

  async function* flowing(text: string): AsyncGenerator<string> {
    for (const word of text.split(/(?<= )/)) {
      yield word
      await pause()
    }
  }

  const clerk = async ({ text, respond }: ActorContext) => {
    await pause()
    await respond(tell(`done: ${text}`))
  }

  const sections = (text: string) => ({
    rome: { work: 'safe', args: text, mergeStrategy: 'replace' as const },
    oslo: { work: 'once', args: text },
    bonn: { work: 'safe', args: text },
  })
  const work = (idempotent: boolean) => ({
    idempotent,
    run: async (args: unknown, { key }: { key: string }) => {
      await run('worked', idempotent)({ key })
      return { found: args }
    },
  })

  return { desk: defineActor(desk, { works: { safe: work(true), once: work(false) } }), clerk: defineActor(clerk) }
}
