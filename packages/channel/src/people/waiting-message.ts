import type { Sessions } from '@cool-ai/beach-core'
import { ifFound } from '@cool-ai/beach-core/runtime'
import type { Ask } from './person-state.ts'

/** Whether a request still waits for an answer; where that cannot be seen it may. */
export async function isPending(
  sessions: Sessions,
  { session, approvalId, principal }: Pick<Ask, 'session' | 'approvalId' | 'principal'>,
): Promise<boolean> {
  const view = await ifFound(sessions.view(session, principal))
  return view === undefined || view.turn?.pendingApprovals.includes(approvalId) === true
}

/** The latest request that a person was asked in a session and that its messages wait for; undefined for none. */
export async function waitsFor(sessions: Sessions, session: string, asks: readonly Ask[]): Promise<Ask | undefined> {
  const here = asks.filter((ask) => ask.session === session && ask.messageIds.length > 0)
  const pending = await Promise.all(here.map((ask) => isPending(sessions, ask)))
  return here.findLast((_, index) => pending[index])
}

/** What the writer of a message is told while it waits for a request; both are whole sentences. */
export function waitsText(howToDecide: string, otherwise: string): string {
  return `Your message waits until the request is decided. ${howToDecide} ${otherwise}`
}
