import type { Decision } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { lowerAscii, trimAscii } from './ascii.ts'

/** The outcome of an answer to an approval request. */
export type ParsedDecision = Decision | 'unclear'

const grants: ReadonlySet<string> = new Set(
  (
    'yes,y,yes please,approve,approved,i approve,granted,grant,accept,accepted,ok,okay,go ahead,confirm,confirmed,' +
    'sure,agreed,yes go ahead,please go ahead,yes please go ahead,please approve,yes approve'
  ).split(','),
)
/** What may stand beside a yes: it says nothing else. */
const polite: ReadonlySet<string> = new Set('please,thanks,thank you,many thanks,hi,hello'.split(','))
const denials =
  "no,n,nope,no thanks,deny,denied,i deny,reject,rejected,decline,declined,refuse,refused,do not,don't,don\u2019t,disapprove,disapproved"
    .split(',')
    .toSorted((one, other) => other.length - one.length)
const closings: ReadonlySet<string> = new Set(
  'thanks,thank you,many thanks,thx,cheers,best,best regards,regards,kind regards,best wishes,greetings,sincerely,yours'.split(
    ',',
  ),
)

const maxAnswerLength = 2_000
const maxReasonLength = 500
const label = /^\[approval:[A-Za-z0-9_.:-]{1,200}\](?:[ \t]+[a-z2-9]{42})?[ \t:]*/
const lastLabel = /\n\[approval:[A-Za-z0-9_.:-]{1,200}\](?:[ \t]+[a-z2-9]{42})?$/

/**
 * What a person has decided, told from exact words in plain ASCII: no other character counts as a letter or a space. A
 * no may give its reason, in any characters; a yes may say nothing else but yes again or thanks, since `yes, but…` is no yes. Give it only what
 * is not quoted.
 */
export function decisionFromWords(fragment: string): ParsedDecision {
  const answer = trimAscii(fragment.slice(0, maxAnswerLength))
  const said = withoutClosing(trimAscii(answer.replace(label, '').replace(lastLabel, '')))
  const whole = plain(said)
  // The rest of a text that is too long could say otherwise.
  if (isGrant(whole)) return fragment.length > maxAnswerLength ? 'unclear' : { decision: 'granted' }
  for (const word of denials) {
    if (whole === word) return { decision: 'denied' }
    const rest = reasonAfter(said, word)
    if (rest !== undefined) return defined({ decision: 'denied', reason: rest || undefined })
  }
  return 'unclear'
}

/** “Yes please, go ahead. Thanks!”: every piece is a yes or polite, and one is a yes. */
function isGrant(whole: string): boolean {
  const pieces = whole.split(/[,.!]+ */).filter((piece) => piece !== '')
  return pieces.some((piece) => grants.has(piece)) && pieces.every((piece) => grants.has(piece) || polite.has(piece))
}

/** A text without what it quotes. */
export interface AnswerText {
  /** Everything that its writer has added. */
  readonly text: string
  /** The text before the first quotation. */
  readonly first: string
}

/** The decision that a mail's text and its HTML agree on. A yes must not be followed by anything else. */
export function agreedDecision(texts: readonly AnswerText[]): ParsedDecision {
  const [first = 'unclear', ...others] = texts.map(({ first: fragment, text }) => {
    const worded = decisionFromWords(fragment)
    return worded !== 'unclear' && worded.decision === 'granted' && fragment !== text ? 'unclear' : worded
  })
  if (first === 'unclear') return 'unclear'
  const agrees = others.every((other) => other !== 'unclear' && other.decision === first.decision)
  return agrees ? first : 'unclear'
}

function plain(text: string): string {
  return lowerAscii(text)
    .replaceAll(/[\t\n\r ]+/g, ' ')
    .replaceAll(/^[*_"' ]+|[*_"'.! ]+$/g, '')
}

function reasonAfter(said: string, word: string): string | undefined {
  if (lowerAscii(said.slice(0, word.length)) !== word) return undefined
  const rest = said.slice(word.length)
  const [mark] = /^[\t\n\r ]*[,;:.!\u2013\u2014-]+|^[\t ]*\r?\n/.exec(rest) ?? []
  if (mark === undefined) return undefined
  return rest.slice(mark.length).replaceAll(/\s+/g, ' ').trim().slice(0, maxReasonLength)
}

/** Without a last `Thanks, Anna`. */
export function withoutClosing(text: string): string {
  const lines = text.split('\n').map(trimAscii)
  const last = lines.findLastIndex((line) => closings.has(lowerAscii(line).replace(/[,.!]+$/, '')))
  if (last < 1) return text
  const after = lines.slice(last + 1).filter((line) => line !== '')
  return after.length === 0 || (after.length === 1 && isName(after[0] ?? ''))
    ? trimAscii(lines.slice(0, last).join('\n'))
    : text
}

/** Words that take something back. */
const doubts: ReadonlySet<string> = new Set(
  "no not never none stop wait cancel hold undo later tomorrow maybe perhaps unless except but only don't don\u2019t dont".split(
    ' ',
  ),
)

/** Up to three words as names are written. A word that decides or doubts is no name: `Thanks, Do Not`. */
function isName(line: string): boolean {
  const words = line.split(' ')
  if (words.some((word) => doubts.has(lowerAscii(word).replace(/[.!]+$/, '')))) return false
  if (line.length > 40 || words.length > 3 || grants.has(plain(line)) || denials.includes(plain(line))) return false
  return words.every((word) => /^\p{Lu}[\p{L}\p{M}'\u2019.-]*$/u.test(word))
}
