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

export const stories = ['plain', 'flow', 'tool', 'idempotent', 'approval', 'two-approvals', 'pass', 'broken'] as const

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
    const { text, respond } = turn
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

  return { desk: defineActor(desk), clerk: defineActor(clerk) }
}
