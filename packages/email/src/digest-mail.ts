import { shortened, type GatheredAsk } from '@cool-ai/beach-channel/people'
import type { Part } from '@cool-ai/beach-core'
import { approvalNotice, approvalQuestion, approvalRequestSchema } from '@cool-ai/beach-protocol'
import { visibleText } from '@cool-ai/beach-protocol/visible-text'
import { joined, plainBody, type MailBody } from './compose-answer.ts'

/** A request of a digest, and how it is decided: on a page, or by an answer to an address of its own. */
export interface ListedAsk {
  readonly part: Part
  readonly link?: string
  readonly address: string
}

const maxListed = 25
const maxQuestionLength = 1_500

/** One mail about all requests that wait: each with what it asks, and where it is decided. */
export async function digestBody(
  asks: readonly GatheredAsk[],
  listedOf: (ask: GatheredAsk) => Promise<ListedAsk | undefined>,
): Promise<MailBody> {
  const listed = asks.slice(0, maxListed)
  const items: MailBody[] = []
  for (const ask of listed) {
    const found = await listedOf(ask)
    if (found !== undefined) items.push(plainBody(itemOf(found, items.length + 1)))
  }
  const head = `${asks.length} requests wait for your decision. An answer to this mail decides nothing: decide each of them by itself.`
  const more = asks.length - listed.length
  const rest = more > 0 ? [plainBody(`And ${more} more, which are decided where they were asked.`)] : []
  return joined([plainBody(head), ...items, ...rest])
}

function itemOf({ part, link, address }: ListedAsk, number: number): string {
  const request = approvalRequestSchema.parse(part.data)
  const question = approvalQuestion(request, approvalNotice(part))
  const until = request.expiresAt === undefined ? '' : ` It is denied by itself after ${request.expiresAt}.`
  if (link !== undefined) return `${number}. ${shortened(question, maxQuestionLength)}\nDecide here: ${link}${until}`
  // A decision is always on all of a request.
  if (question.length > maxQuestionLength) {
    return `${number}. ${visibleText(request.toolName)}\nIt is decided where it was asked.${until}`
  }
  return `${number}. ${question}\nWrite just "yes" or "no" to ${address}.${until}`
}
