import { BeachError } from '@cool-ai/beach-core'
import type { Counted, Limit } from './limits.ts'

const words: Readonly<Record<Counted, readonly [before: string, next: string]>> = {
  requests: ['Too many requests came from here.', 'Send the next one'],
  sessions: ['Too many conversations were begun from here.', 'Begin the next one'],
  messages: ['Too many messages were sent from here.', 'Send the next one'],
  turns: ['There were too many answers.', 'Ask again'],
  bytes: ['Too much was sent to be kept.', 'Send more'],
  tokens: ['The tokens of models that may be used are used up.', 'Ask again'],
  cost: ['The money that may be spent on models is spent.', 'Ask again'],
}

/** Why a caller has to wait, and for how long. */
export function tooMany(
  { what, window, scope }: Pick<Limit, 'what' | 'window' | 'scope'>,
  retryAfter: number,
): BeachError {
  const [before, next] = words[what]
  const when = window === 'day' ? `after 00:00 UTC, in ${inHours(retryAfter)}` : `in ${retryAfter} s`
  const today = window === 'day' ? ` for today${scope === 'tenant' ? ', for all users together' : ''}` : ''
  const message = `${before.replace(/\.$/, '')}${today}. ${next} ${when}.`
  return new BeachError('TOO_MANY', message, { details: { retryAfter, limit: `${scope}.${what}` } })
}

function inHours(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
