/**
 * How long a process may be silent before others take over its sessions. On a busy machine each process waits for a
 * second now and then; that is no fault.
 */
export const leaseMs = 3_000

/** Signs what the webhook's program and the agent send each other. */
export const hookSecret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

/** What a client asks for: an idempotent tool and a long answer, a tool that must run once, and one that needs an approval. */
export type Ask = 'look' | 'post' | 'pay'

/** How a conversation is held. */
const ways = ['sse', 'websocket', 'a2a', 'mcp', 'webhook'] as const
export type Way = (typeof ways)[number]

/** What a conversation is to be. */
export interface Script {
  readonly name: string
  readonly way: Way
  readonly asks: readonly Ask[]
}

/** What came of a conversation, as its client saw it. */
export interface Transcript extends Script {
  /** The messages that the agent has accepted, and the answer to each of them. */
  readonly answers: readonly { readonly asked: string; readonly texts: readonly string[] }[]
  /** What else was wrong. */
  readonly problems: readonly string[]
}

const orders: readonly (readonly Ask[])[] = [
  ['look', 'pay'],
  ['post', 'pay'],
  ['pay', 'look'],
  ['look', 'post'],
]

export function scriptOf(index: number, random: () => number): Script {
  const asks = orders[Math.floor(random() * orders.length)] ?? ['look']
  return { name: `c${index}`, way: ways[index % ways.length] ?? 'sse', asks }
}

/** The pieces of the answer to `look`. */
export function wordsOf(asked: string): string[] {
  return [`${asked}:`, ...Array.from({ length: 12 }, (_, index) => ` word${index}`)]
}

/** What a client can be told in answer to a message; a tool that must run once may end with an unknown outcome. */
export function possibleAnswers(asked: string): readonly string[] {
  return asked.split(' ')[1] === 'look' ? [wordsOf(asked).join('')] : [`${asked}: ok`, `${asked}: unknown`]
}
