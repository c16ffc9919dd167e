import { BeachError, type ErrorCode } from '@cool-ai/beach-core'
import type { Decided, Taken } from '@cool-ai/beach-core/ports'

const undecided: Readonly<Partial<Record<Decided, [ErrorCode, string]>>> = {
  already: ['ALREADY_DECIDED', 'This approval has already been decided, or its turn is over.'],
  expired: ['EXPIRED', 'This approval has expired; it counts as denied.'],
  notFound: ['NOT_FOUND', 'There is no such approval, or it is not yours to decide.'],
}

/** The reply to the sender of what was taken in; a decision that does not count is an error that says why. */
export function takenBody(taken: Taken): unknown {
  switch (taken.kind) {
    case 'posted':
      return taken.posted
    case 'handled':
      return { heard: taken.reply.answer, seq: taken.reply.seq }
    case 'decided':
      requireDecided(taken.decided)
      return { status: 'decided', ...taken.answer }
  }
}

/** Throws why an approval cannot be decided any more. */
export function requireDecided(decided: Decided): void {
  const problem = undecided[decided]
  if (problem !== undefined) throw new BeachError(...problem)
}
