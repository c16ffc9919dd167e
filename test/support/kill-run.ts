import { Conversation, type Via } from './conversation.ts'
import type { ServerProcess } from './server-process.ts'

/** What a run of kills has done. */
export interface KillReport {
  readonly conversations: number
  readonly kills: number
  /** How many of the kills came while a turn was open. */
  readonly killsInTurns: number
  readonly problems: readonly string[]
}

/** A conversation's three messages, and how many answers each of them must have. */
const messages = ['find me flights to Corfu in August', 'add BA 2043', 'book it'] as const

/**
 * Drives conversations against a server that is killed with `kill -9` again and again, and looks from outside whether
 * each of them ended exactly once with its whole answer.
 */
export async function killRun(
  server: ServerProcess,
  options: {
    readonly conversations: number
    readonly kills: number
    /** The least time between two kills; at most it is twice as long. */
    readonly pauseMs?: number
    readonly random?: () => number
    readonly via?: Via
  },
): Promise<KillReport> {
  const { random = Math.random, pauseMs = 2_500 } = options
  const problems: string[] = []
  const talks: Conversation[] = []
  let [kills, killsInTurns] = [0, 0]
  const all = Array.from({ length: options.conversations }, async (_, index) => {
    const talk = await insist(() => Conversation.open(server.url, options.via))
    talks.push(talk)
    for (const [turn, text] of messages.entries()) {
      await insist(() => talk.say(text, `kill-run-${index}-${turn}`))
      if (text === 'book it') await approve(talk)
      await talk.settled(turn + 1)
    }
    problems.push(...problemsOf(talk).map((problem) => `conversation ${index}: ${problem}`))
  })
  const killing = (async () => {
    while (kills < options.kills) {
      // A turn that is killed five times without progress ends in an error, by design: many kills leave time for a step.
      await new Promise((resolve) => setTimeout(resolve, pauseMs * (1 + random())))
      if (talks.some(({ stream }) => stream.turns.some((turn) => !turn.settled))) killsInTurns++
      await server.kill9()
      kills++
      await server.start()
    }
  })()
  await Promise.all([...all, killing])
  return { conversations: options.conversations, kills, killsInTurns, problems }
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
