import { Conversation, type Via } from './conversation.ts'
import type { ServerProcess } from './server-process.ts'

/** What a run of kills has done. */
export interface KillReport {
  readonly conversations: number
  readonly kills: number
  readonly problems: readonly string[]
}

/** A conversation's three messages, and how many answers each of them must have. */
const messages = ['find me flights to Corfu in August', 'add BA 2043', 'book it'] as const

/**
 * Drives conversations against a server that is killed with `kill -9` again and again, and looks from outside whether
 * each of them ended exactly once with its whole answer. Killing goes on until all have ended and there were enough.
 */
export async function killRun(
  server: ServerProcess,
  options: {
    readonly conversations: number
    readonly kills: number
    readonly random?: () => number
    readonly via?: Via
  },
): Promise<KillReport> {
  const random = options.random ?? Math.random
  const problems: string[] = []
  const ended = new Set<number>()
  let kills = 0
  const all = Array.from({ length: options.conversations }, async (_, index) => {
    const talk = await insist(() => Conversation.open(server.url, options.via))
    for (const [turn, text] of messages.entries()) {
      await insist(() => talk.say(text, `kill-run-${index}-${turn}`))
      if (text === 'book it') await approve(talk)
      await talk.settled(turn + 1)
    }
    problems.push(...problemsOf(talk).map((problem) => `conversation ${index}: ${problem}`))
    ended.add(index)
  })
  const killing = (async () => {
    while (ended.size < options.conversations || kills < options.kills) {
      // Long enough for a step: a turn that is killed five times without progress ends in an error, by design.
      await new Promise((resolve) => setTimeout(resolve, 2_500 + random() * 2_500))
      await server.kill9()
      kills++
      await server.start()
    }
  })()
  await Promise.all([...all, killing])
  return { conversations: options.conversations, kills, problems }
}

async function approve(talk: Conversation): Promise<void> {
  await talk.suspended()
  // 409 means that an earlier try had reached the log before its answer was lost.
  await insist(async () => {
    const status = await talk.decide('granted')
    if (status !== 200 && status !== 409) throw new TypeError(`The decision got ${status}.`)
  })
}

function problemsOf({ stream }: Conversation): string[] {
  const count = (partType: string) => stream.parts.filter((part) => part.partType === partType).length
  const texts = stream.parts.filter((part) => part.partType === 'response').map((part) => part.text ?? '')
  const problems: string[] = []
  if (count('message') !== messages.length) problems.push(`${count('message')} messages are there`)
  if (stream.turns.length !== messages.length) problems.push(`it has ${stream.turns.length} turns`)
  if (stream.parts.some((part) => part.open)) problems.push('text is still open')
  if (count('approval-request') !== 1) problems.push(`${count('approval-request')} approvals were asked for`)
  const wanted = [
    /^Two direct options .*08:45\.$/,
    /^Your basket comes to £374\.00\./,
    /^Booked\. Your reference is ET-/,
  ]
  const whole = texts.length === wanted.length && wanted.every((pattern, index) => pattern.test(texts[index] ?? ''))
  if (!whole) problems.push(`it was answered with ${JSON.stringify(texts)}`)
  return problems
}

/** Tries until the server is there; what a server that is away does to a request is a TypeError. */
async function insist<Value>(attempt: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
