import type { Logger, LogLevel } from '@cool-ai/beach-core'
import type { ApprovalDecided, ToolFinished } from '@cool-ai/beach-core/log'
import type { Activity, ActivityFacts, ReportedError } from '@cool-ai/beach-core/ports'
import { defined, writes } from '@cool-ai/beach-core/runtime'

/** What lines are found by. */
export interface Ids {
  readonly session?: string | undefined
  readonly turn?: string | undefined
  readonly trace?: string | undefined
}

/** A request while it is answered. */
export interface RequestNotes {
  readonly method: string
  /** Its path as it is registered: the path itself may contain a secret or an address. */
  route?: string
  ids: Ids
  /** The error that its caller was told of. */
  error?: ReportedError
  /** True once its line is written. */
  isAnswered?: boolean
}

const quiet: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The log's lines about activities: ids, names, figures and outcomes, nothing of what was said and to whom. */
export class ActivityLines {
  readonly #logger: Logger
  readonly #agent: string
  /** False when no such line would be written: then it need not be made. */
  readonly isRead: boolean

  constructor(logger: Logger, agent: string) {
    this.#logger = logger
    this.#agent = agent
    this.isRead = writes(logger, 'info')
  }

  ended(
    activity: Activity,
    ids: Ids,
    facts: ActivityFacts,
    { ms, failure: code }: { readonly ms: number; readonly failure: string | undefined },
  ): void {
    // Commits are many; they are spans and metrics only.
    if (!this.isRead || activity.kind === 'commit') return
    const { outcome = 'ok', ...figures } = facts
    const level = activity.kind === 'receive' ? 'debug' : 'info'
    const message = activity.kind === 'model' ? 'model call' : activity.kind === 'receive' ? 'message' : activity.kind
    this.#write(level, message, ids, { ...aboutOf(activity), outcome, code, ...figures, ms: rounded(ms) })
  }

  answered({ method, route, ids, error }: RequestNotes, status: number, ms: number): void {
    const level = quiet.has(method) && status < 400 ? 'debug' : 'info'
    const told = error && { code: error.code, errorId: error.id }
    this.#write(level, 'request', ids, { method, route, status, ...told, ms: rounded(ms) })
  }

  /** An error that was not told in the answer to a request: on an open socket, or before a request was looked at. */
  reported({ id, code, status }: ReportedError, ids: Ids): void {
    this.#write('info', 'error', ids, { code, status, errorId: id })
  }

  decided({ approvalId, decision }: ApprovalDecided, ids: Ids): void {
    this.#write('info', 'decision', ids, { approval: approvalId, decision })
  }

  /** A tool that a client has run itself. */
  clientTool({ callId, outcome }: ToolFinished, ids: Ids): void {
    this.#write('info', 'tool', ids, { call: callId, by: 'client', outcome })
  }

  #write(level: LogLevel, message: string, ids: Ids, fields: Readonly<Record<string, string | number | undefined>>) {
    if (!this.isRead) return
    const { session, turn, trace } = ids
    this.#logger.log(level, message, defined({ agent: this.#agent, session, turn, trace, ...fields }))
  }
}

/** What tells activities of one kind apart. */
function aboutOf(activity: Activity): Readonly<Record<string, string | number>> {
  switch (activity.kind) {
    case 'turn':
      return { actor: activity.actor, ...(activity.takesOver && { takesOver: 'true' }) }
    case 'model':
      return { model: activity.model }
    case 'tool':
      return { tool: activity.name, call: activity.callId }
    case 'receive':
      return { transport: activity.transport }
    case 'delivery':
      return { transport: activity.transport, delivery: activity.seq, attempt: activity.attempt }
    case 'commit':
      return {}
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10
}
