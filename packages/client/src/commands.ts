import type { Decided } from '@cool-ai/beach-core/ports'
import { asAgentError } from './reliability/agent-error.ts'
import type { Conversation, SessionLink } from './conversation.ts'
import { persist, type PersistOptions } from './reliability/persist.ts'

export interface CommandOptions extends PersistOptions {
  /** One try of a request of the session's. */
  readonly post: (path: string, body: unknown) => Promise<unknown>
  /** The turn that runs, as far as is known here. */
  readonly running: () => string | undefined
}

/** What a user can do besides saying something. Tried as often as it takes, for none of it does harm twice. */
export function commandsOf(options: CommandOptions): Pick<Conversation, 'approve' | 'deny' | 'cancel' | 'link'> {
  const { post, running, signal } = options
  const insist = (path: string, body: unknown) => persist(() => post(path, body), options)

  const decide = async (approvalId: string, decision: 'granted' | 'denied', reason?: string): Promise<Decided> => {
    try {
      await insist(`approvals/${encodeURIComponent(approvalId)}`, { decision, reason })
      return 'decided'
    } catch (cause) {
      const error = asAgentError(cause)
      const decided = signal.aborted ? undefined : undecided[error.code]
      if (decided === undefined) throw error
      return decided
    }
  }

  return {
    approve: (approvalId, reason) => decide(approvalId, 'granted', reason),
    deny: (approvalId, reason) => decide(approvalId, 'denied', reason),
    async cancel(turnId = running()) {
      // Whichever turn runs is asked for once: a second try might stop one that has begun since.
      const answer = turnId === undefined ? post('cancel', {}) : insist('cancel', { turnId })
      return ((await answer) as { cancelled: boolean }).cancelled
    },
    // A link that got lost on its way here is an unused one.
    link: () => insist('links', {}) as Promise<SessionLink>,
  }
}

const undecided: Readonly<Partial<Record<string, Decided>>> = {
  ALREADY_DECIDED: 'already',
  EXPIRED: 'expired',
  NOT_FOUND: 'notFound',
}
