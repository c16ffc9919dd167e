import { plainWords, type CallTask, type PeerApprovalRequest } from '@cool-ai/beach-channel/peers'
import { BeachError, type Decision, type ToolContext } from '@cool-ai/beach-core'
import { contentHash, defined } from '@cool-ai/beach-core/runtime'
import { peerRequestWords, type PeerRequestWords } from './peer-request.ts'

interface RequestedApproval extends PeerRequestWords {
  readonly approvalId: string
  readonly hash: string
  readonly toolName: string
  readonly args: Readonly<Record<string, unknown>>
  readonly expiresAt?: number
}

/** What a run of the tool leaves for the next one. */
interface PeerNote {
  readonly task?: CallTask
  readonly asked: readonly RequestedApproval[]
  /** Those whose decision the peer has been told, or was about to be. */
  readonly told?: readonly string[]
}

const maxRequests = 20

/**
 * What a peer wants to have approved, and what an approver here has decided. A run that asks ends there, and the next one
 * asks the same in the same order, so what was asked is in the log, next to the peer's task.
 */
export class PeerApprovals {
  readonly #peer: string
  readonly #context: ToolContext
  readonly #requested: RequestedApproval[]
  readonly #decisions = new Map<RequestedApproval, Decision>()
  readonly #passedOn: Set<string>
  #task: CallTask | undefined

  constructor(peer: string, context: ToolContext) {
    const { task, asked, told: passedOn = [] } = noteOf(context.noted)
    this.#passedOn = new Set(passedOn)
    this.#peer = peer
    this.#context = context
    this.#requested = [...asked]
    this.#task = task
  }

  /** The peer's task, when an earlier run has come that far. */
  get task(): CallTask | undefined {
    return this.#task
  }

  async began(task: CallTask): Promise<void> {
    if (this.#task?.taskId === task.taskId) return
    this.#task = task
    await this.#note()
  }

  async telling(approvalId: string): Promise<void> {
    this.#passedOn.add(approvalId)
    await this.#note()
  }

  /** What was decided here and the peer was never told: it must have been decided elsewhere. */
  undelivered(): Decision | undefined {
    return [...this.#decisions].find(([{ approvalId }]) => !this.#passedOn.has(approvalId))?.[1]
  }

  /** Asks again for what earlier runs have asked for; leaves the tool when one of it is undecided. */
  async decided(): Promise<void> {
    for (const asked of this.#requested) this.#decisions.set(asked, await this.#ask(asked))
  }

  /**
   * The decision on a request of the peer's, of which people know the peer by `name`; leaves the tool when there is none
   * yet. A changed request is a new one.
   */
  async decision(request: PeerApprovalRequest, name: string): Promise<Decision> {
    const { approvalId, toolName, args, expiresAt } = request
    const words = peerRequestWords(name, request)
    const hash = contentHash(words.approval === undefined ? [toolName, args] : [toolName, args, words])
    const standing = this.#requested.find((asked) => asked.approvalId === approvalId && asked.hash === hash)
    const known = standing && this.#decisions.get(standing)
    if (known !== undefined) return known
    if (this.#context.approve === undefined) return { decision: 'denied', reason: 'No approver can be asked here.' }
    if (this.#requested.length >= maxRequests) {
      throw new BeachError('PEER_PROTOCOL', `The agent '${this.#peer}' has asked for too many approvals.`)
    }
    const until = expiresAt === undefined ? undefined : { expiresAt: Date.parse(expiresAt) }
    const shown = `${this.#peer}: ${plainWords(toolName, 100)}`
    const asked = { approvalId, hash, toolName: shown, args, ...until, ...words }
    this.#requested.push(asked)
    await this.#note()
    const decision = await this.#ask(asked)
    this.#decisions.set(asked, decision)
    return decision
  }

  async #ask({ toolName, args, expiresAt, approval, schema, words }: RequestedApproval): Promise<Decision> {
    const { approve } = this.#context
    if (approve === undefined) return { decision: 'denied', reason: 'No approver can be asked here.' }
    return approve({ toolName, args, expiresAt, approval, schema, words })
  }

  async #note(): Promise<void> {
    const note: PeerNote = defined({ asked: this.#requested, told: [...this.#passedOn], task: this.#task })
    await this.#context.note?.(note)
  }
}

/** What is in the log was written by this file. */
function noteOf(noted: unknown): PeerNote {
  return typeof noted === 'object' && noted !== null && 'asked' in noted ? (noted as PeerNote) : { asked: [] }
}
