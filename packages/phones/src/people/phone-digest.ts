import { oneLine, shortened, type AskDigest, type GatheredAsk } from '@cool-ai/beach-channel/people'
import type { Envelope, Originator, SendOutcome } from '@cool-ai/beach-core'
import { approvalRequestSchema } from '@cool-ai/beach-protocol'
import { visibleText } from '@cool-ai/beach-protocol/visible-text'

const maxListed = 10
const maxTitleLength = 60

/** Words by which a person is asked the next of the requests that were gathered. */
const nextWords: ReadonlySet<string> = new Set(['next', 'more'])

export function isNextWord(text: string): boolean {
  return nextWords.has(text.trim().toLowerCase())
}

/** Puts the next of the requests that were gathered, in a message of its own; undefined when there is none. */
export async function askNext(
  person: string,
  digest: AskDigest,
  say: (to: Originator, envelope: Envelope, key: string) => Promise<SendOutcome>,
): Promise<SendOutcome | undefined> {
  const next = (await digest.open(person)).find(({ isAsked }) => !isAsked)
  const part = next && (await digest.partOf(next))
  if (next === undefined || part === undefined) return undefined
  const envelope = { role: 'agent' as const, parts: [part], meta: next.meta }
  const outcome = await say(next.to, envelope, `${next.key}:${next.approvalId}`)
  if (outcome.status === 'sent') await digest.asked(person, next)
  return outcome
}

/** One message about all requests that wait: a phone gets them one by one, when its owner wants the next. */
export async function digestText(asks: readonly GatheredAsk[], digest: AskDigest): Promise<string> {
  const lines: string[] = []
  for (const ask of asks.slice(0, maxListed)) {
    const request = approvalRequestSchema.safeParse((await digest.partOf(ask))?.data).data
    if (request !== undefined) {
      lines.push(`${lines.length + 1}. ${shortened(oneLine(visibleText(request.toolName)), maxTitleLength)}`)
    }
  }
  const more = asks.length - lines.length
  const how = 'Reply NEXT to be asked the next one here, or decide where they were asked.'
  const rest = more > 0 ? [`and ${more} more`] : []
  return [`${asks.length} requests wait for your decision:`, ...lines, ...rest, how].join('\n')
}
