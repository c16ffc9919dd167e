import { sliceState, type LoggedEvent, type SessionLog, type SessionState } from '@cool-ai/beach-core/log'
import { isForeign, originsOfMessage, originsOfPart } from '@cool-ai/beach-core/ports'
import { turnSlice } from './turn-slice.ts'

/**
 * What the trusted side of a session has written: its users, in their own words and addresses, and the agent's own tools,
 * as long as their turn had seen no foreign content. An address that is in none of it was named by another party.
 */
export async function trustedTexts(log: SessionLog, session: string, state: SessionState): Promise<readonly string[]> {
  const { recent } = sliceState(turnSlice, state)
  const events = await log.read(session, (recent[0]?.seq ?? 1) - 1)
  const tainted = new Set<string>()
  const foreignMessages = new Set<string>()
  return events.flatMap(({ event }) => textsOf(event, tainted, foreignMessages))
}

function textsOf(event: LoggedEvent['event'], tainted: Set<string>, foreignMessages: Set<string>): string[] {
  const origins = 'origins' in event ? (event.origins ?? []).filter(isForeign) : []
  if (event.type === 'messageReceived') {
    const { from, parts = [] } = event.payload ?? {}
    if (from === undefined) return []
    if (originsOfMessage(from, parts).length > 0) foreignMessages.add(event.messageId)
    if (from.principal.kind === 'peer') return []
    const own = parts.filter((part) => originsOfPart(part).length === 0)
    return [...own.flatMap(({ text }) => text ?? []), ...(from.address === undefined ? [] : [from.address])]
  }
  if (event.type === 'turnStarted' && event.messageIds.some((id) => foreignMessages.has(id))) tainted.add(event.turnId)
  if (origins.length > 0 && 'turnId' in event && event.turnId !== undefined) tainted.add(event.turnId)
  if (event.type !== 'toolFinished' || event.outcome !== 'ok' || tainted.has(event.turnId)) return []
  return [JSON.stringify(event.payload?.value) ?? '']
}

/** True when one of the texts names the recipient as a whole: no other address that contains it counts. */
export function isNamed(recipient: string, texts: readonly string[]): boolean {
  const wanted = recipient.normalize('NFC').trim().toLowerCase()
  if (wanted === '') return false
  if (phone.test(wanted)) return texts.some((text) => numbersIn(text).includes(digitsOf(wanted)))
  return texts.some((text) => hasWord(text.normalize('NFC').toLowerCase(), wanted))
}

const phone = /^\+?[\d\s().-]{5,}$/

function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '').replace(/^00/, '')
}

/** The runs of digits, with what people write between them. */
function numbersIn(text: string): string[] {
  return (text.match(/\+?\d[\d ().-]*/g) ?? []).map(digitsOf)
}

const inside = /[\p{L}\p{N}@_%+\-/:=?&#~]/u

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const before = text[at - 1] ?? ' '
    const [next = ' ', afterNext = ' '] = text.slice(at + word.length, at + word.length + 2)
    // A full stop or colon ends a sentence, unless more of an address follows it.
    const ends = /[.:?]/.test(next) ? !inside.test(afterNext) && afterNext !== '.' : !inside.test(next)
    if (ends && before !== '.' && !inside.test(before)) return true
  }
  return false
}
