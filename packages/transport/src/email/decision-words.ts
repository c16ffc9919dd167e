import type { Decision } from '@cool-ai/beach-core'
import type { StrippedText } from './strip-quotes.ts'

/** What an answer to an approval comes to. */
export type WordedDecision = Decision | 'unclear'

const grants: ReadonlySet<string> = new Set(
  'yes,y,yes please,approve,approved,i approve,granted,grant,accept,accepted,ok,okay,go ahead,confirm,confirmed'.split(
    ',',
  ),
)
const denials =
  "no,n,nope,no thanks,deny,denied,i deny,reject,rejected,decline,declined,refuse,refused,do not,don't,disapprove,disapproved"
    .split(',')
    .toSorted((one, other) => other.length - one.length)
const closings: ReadonlySet<string> = new Set(
  'thanks,thank you,many thanks,thx,cheers,best,best regards,regards,kind regards,best wishes,greetings,sincerely,yours'.split(
    ',',
  ),
)

const longestAnswer = 2_000
const longestReason = 500
const label = /^\[approval:[A-Za-z0-9_.:-]{1,200}\](?:[ \t]+[a-z2-9]{42})?[ \t:]*/

/**
 * What somebody has decided, told from exact words. A no may give its reason; a yes may say nothing else, since
 * `yes, but…` is no yes. Give it only what is not quoted.
 */
export function decisionIn(fragment: string): WordedDecision {
  const text = fragment.slice(0, longestAnswer).normalize('NFKC').replaceAll('\u2019', "'").trim()
  const said = withoutClosing(text.replace(label, '').trim())
  const whole = plain(said)
  if (grants.has(whole)) return { decision: 'granted' }
  for (const word of denials) {
    if (whole === word) return { decision: 'denied' }
    const rest = reasonAfter(said, word)
    if (rest !== undefined) return { decision: 'denied', ...(rest !== '' && { reason: rest }) }
  }
  return 'unclear'
}

/** The decision that a mail's text and its HTML agree on. What says yes must say nothing else further down. */
export function agreedDecision(texts: readonly StrippedText[]): WordedDecision {
  const [first = 'unclear', ...others] = texts.map(({ first: fragment, text }) => {
    const worded = decisionIn(fragment)
    return worded !== 'unclear' && worded.decision === 'granted' && fragment !== text ? 'unclear' : worded
  })
  if (first === 'unclear') return 'unclear'
  const agrees = others.every((other) => other !== 'unclear' && other.decision === first.decision)
  return agrees ? first : 'unclear'
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[\s]+/g, ' ')
    .replaceAll(/^[*_"'\s]+|[*_"'.!\s]+$/g, '')
}

function reasonAfter(said: string, word: string): string | undefined {
  if (said.slice(0, word.length).toLowerCase() !== word) return undefined
  const rest = said.slice(word.length)
  const [mark] = /^\s*[,;:.!\u2013\u2014-]+|^\s*\n/.exec(rest) ?? []
  if (mark === undefined) return undefined
  return rest.slice(mark.length).replaceAll(/\s+/g, ' ').trim().slice(0, longestReason)
}

/** Without a last `Thanks, Anna`. */
function withoutClosing(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  const last = lines.findLastIndex((line) => closings.has(line.toLowerCase().replace(/[,.!]+$/, '')))
  const after = lines.slice(last + 1).filter((line) => line !== '')
  const isName = after.length <= 1 && (after[0] ?? '').length <= 40 && (after[0] ?? '').split(' ').length <= 3
  return last > 0 && isName ? lines.slice(0, last).join('\n').trim() : text
}
