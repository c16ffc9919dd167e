import type { Artifact, Message, StreamResponse, Task, TaskStatus } from '@a2a-js/sdk'
import {
  answerState,
  envelopeMeta,
  fromPeerPart,
  signalParts,
  type CallLimits,
  type CallResult,
  type CallState,
  type CallTask,
  type IsOver,
  type PartOrigin,
  type PeerApprovalRequest,
  type PeerPart,
} from '@cool-ai/beach-channel/peers'
import { BeachError, type EnvelopeMeta, type Part } from '@cool-ai/beach-core'
import { peerOrigin } from '@cool-ai/beach-core/ports'
import { contentHash, defined } from '@cool-ai/beach-core/runtime'
import {
  approvalRequestSchema,
  approvalResponseSchema,
  askedApproval,
  convergedParts,
  isPeerWords,
} from '@cool-ai/beach-protocol'
import { PeerArtifact } from './peer-artifact.ts'
import { callStateOf, statusTextType } from './task-state.ts'
import type { OutgoingMessage } from './to-a2a-message.ts'

type Metadata = Readonly<Record<string, unknown>> | undefined

/** What a peer has said of one task so far, whether it came as a stream or as a whole, and however often it came. */
export class TaskFold {
  readonly #peer: string
  readonly #limits: CallLimits
  readonly #isOver: IsOver
  readonly #artifacts = new Map<string, PeerArtifact>()
  readonly #reported = new Set<string>()
  /** The slots of data that has come in artifacts. */
  readonly #slots = new Set<string | undefined>()
  /** What a Beach peer says of its envelope besides the artifacts that it consists of. */
  #meta: Partial<EnvelopeMeta> | undefined
  #task: CallTask | undefined
  #status: TaskStatus | undefined
  #answer: Message | undefined
  #events = 0
  #parts = 0

  constructor(peer: string, limits: CallLimits, isOver: IsOver) {
    this.#peer = peer
    this.#isOver = isOver
    this.#limits = limits
  }

  get task(): CallTask | undefined {
    return this.#task
  }

  /** The conversation that the peer has named. */
  get contextId(): string | undefined {
    return (this.#task?.contextId ?? this.#answer?.contextId) || undefined
  }

  /** How many events have come; more of them mean that the connection was of use. */
  get events(): number {
    return this.#events
  }

  get state(): CallState | undefined {
    if (this.#answer !== undefined) return answerState(envelopeMeta(this.#answer.metadata)?.turnState, this.#isOver)
    return callStateOf(this.#status, () => this.#approvals().length > 0)
  }

  /** Takes an event, and says which parts are new or have changed. */
  take({ payload }: StreamResponse): PeerPart[] {
    this.#events++
    if (this.#events > this.#limits.events) throw tooMuch(`more than ${this.#limits.events} events`)
    switch (payload?.$case) {
      case 'task':
        return this.#snapshot(payload.value)
      case 'message':
        return this.#message(payload.value)
      case 'artifactUpdate': {
        const { taskId, contextId, artifact, append, lastChunk } = payload.value
        this.#named(taskId, contextId)
        return artifact === undefined ? [] : this.#artifact(artifact, { append, isLast: lastChunk })
      }
      case 'statusUpdate': {
        const { taskId, contextId, status, metadata } = payload.value
        this.#named(taskId, contextId)
        this.#meta = envelopeMeta(metadata) ?? this.#meta
        return [...this.#signals(metadata), ...this.#statusIs(status)]
      }
      case undefined:
        throw new BeachError('PEER_PROTOCOL', 'The peer has sent an event that A2A does not know.')
    }
  }

  result(): CallResult {
    const { state } = this
    if (state === undefined) throw new BeachError('INTERNAL', 'The call has not ended.')
    const message = this.#answer ?? this.#status?.message
    const whole = envelopeMeta(message?.metadata)
    const said = message === undefined ? [] : this.#messageParts(message, this.#status)
    // A message that is an envelope is the whole answer; otherwise that is what was made, and what was said at the end.
    const parts = whole === undefined ? joined(this.#answerMade(), said) : said
    return {
      peer: this.#peer,
      state,
      parts,
      approvals: state === 'suspended' ? this.#approvals() : [],
      meta: whole ?? this.#meta,
      ...this.#task,
    }
  }

  get #origin(): PartOrigin {
    return defined({ peer: this.#peer, taskId: this.#task?.taskId })
  }

  #named(taskId: string, contextId: string): void {
    checkPeerIds(taskId, contextId)
    if (taskId === '') throw new BeachError('PEER_PROTOCOL', 'The peer has sent an update of no task.')
    if (this.#task !== undefined && this.#task.taskId !== taskId) {
      throw new BeachError('PEER_PROTOCOL', 'The peer has sent an update of another task.')
    }
    this.#task ??= { taskId, contextId }
  }

  #snapshot(task: Task): PeerPart[] {
    this.#named(task.id, task.contextId)
    this.#meta = envelopeMeta(task.metadata) ?? this.#meta
    const made = task.artifacts.flatMap((artifact) => this.#artifact(artifact, { append: false, isLast: false }))
    return [...made, ...this.#statusIs(task.status)]
  }

  #message(message: Message): PeerPart[] {
    checkPeerIds(message.taskId, message.contextId)
    this.#answer = message
    if (message.taskId !== '') this.#task ??= { taskId: message.taskId, contextId: message.contextId }
    return [...this.#closed(), ...this.#tell(message, this.#messageParts(message, undefined))]
  }

  #artifact(artifact: Artifact, how: { append: boolean; isLast: boolean }): PeerPart[] {
    const { artifactId } = artifact
    checkPeerIds(artifactId)
    if (artifactId === '') throw new BeachError('PEER_PROTOCOL', 'The peer has sent an artifact without an id.')
    let standing = this.#artifacts.get(artifactId)
    if (standing === undefined) {
      standing = new PeerArtifact(artifactId, this.#origin, this.#limits.depth)
      this.#artifacts.set(artifactId, standing)
    }
    const before = standing.size
    const news = standing.take(artifact, how)
    this.#parts += standing.size - before
    if (this.#parts > this.#limits.parts || this.#artifacts.size > this.#limits.parts) {
      throw tooMuch(`more than ${this.#limits.parts} parts`)
    }
    for (const { part, isOpen, isRetracted } of news) {
      if (isOpen || isRetracted) continue
      this.#reported.add(identity(part))
      if (isData(part)) this.#slots.add(part.metadata.slotKey)
    }
    return news
  }

  #statusIs(status: TaskStatus | undefined): PeerPart[] {
    if (status === undefined) return []
    this.#status = status
    const closed = this.state === undefined ? [] : this.#closed()
    const { message } = status
    return message === undefined ? closed : [...closed, ...this.#tell(message, this.#messageParts(message, status))]
  }

  /** What a Beach peer says besides its answer: acknowledgements, thoughts, progress. */
  #signals(metadata: Metadata): PeerPart[] {
    const place = { id: '', text: 'thinking', origin: this.#origin, depth: this.#limits.depth }
    return signalParts(metadata, place).flatMap((part, index) => {
      return this.#isNew(part) ? [{ partId: `signal.${this.#events}.${index}`, part, isOpen: false }] : []
    })
  }

  /** What a message says that was not said before. Data of an envelope was, in pieces, when its slot has come in artifacts. */
  #tell({ messageId, metadata }: Message, parts: readonly Part[]): PeerPart[] {
    const isEnvelope = envelopeMeta(metadata) !== undefined
    return parts.flatMap((part, index) => {
      const isCollected = isEnvelope && isData(part) && this.#slots.has(part.metadata.slotKey)
      return !isCollected && this.#isNew(part) ? [{ partId: `${messageId}.${index}`, part, isOpen: false }] : []
    })
  }

  #isNew(part: Part): boolean {
    const id = identity(part)
    if (this.#reported.has(id)) return false
    this.#reported.add(id)
    return true
  }

  #closed(): PeerPart[] {
    const news = [...this.#artifacts.values()].flatMap((artifact) => artifact.close())
    for (const { part } of news) this.#reported.add(identity(part))
    return news
  }

  #made(): Part[] {
    return [...this.#artifacts.values()].flatMap((artifact) => artifact.parts)
  }

  /**
   * What of that is the answer: not what another agent said to the peer; of a Beach peer the parts of its last turn, with
   * each slot of data once.
   */
  #answerMade(): readonly Part[] {
    const own = this.#made().filter((part) => !isPassedOn(part))
    const { turnId } = this.#meta ?? {}
    if (turnId === undefined) return own
    return convergedParts(own.filter(({ metadata }) => metadata.turnId === undefined || metadata.turnId === turnId))
  }

  #messageParts({ messageId, parts }: Message, status: TaskStatus | undefined): Part[] {
    checkPeerIds(messageId)
    if (parts.length > this.#limits.parts) throw tooMuch(`more than ${this.#limits.parts} parts`)
    const text = status === undefined ? 'response' : statusTextType(status)
    return parts.flatMap((given, index) => {
      const place = { id: `${messageId}.${index}`, text, origin: this.#origin, depth: this.#limits.depth }
      return fromPeerPart(given, place) ?? []
    })
  }

  /** The requests that the peer waits for: those of its status, else the last that it has made. */
  #approvals(): PeerApprovalRequest[] {
    const message = this.#status?.message
    const said = message === undefined ? [] : requestsIn(this.#messageParts(message, this.#status))
    return said.length > 0 ? said : requestsIn(this.#made()).slice(-1)
  }
}

/** True for words that the peer has from another agent. */
function isPassedOn(part: Part): boolean {
  return isPeerWords(part) && peerOrigin(part)?.from !== undefined
}

function requestsIn(parts: readonly Part[]): PeerApprovalRequest[] {
  return parts.flatMap((part) => {
    const { data, metadata } = part
    const request = metadata.partType === 'approval-request' ? approvalRequestSchema.safeParse(data).data : undefined
    if (request === undefined) return []
    const asked = metadata.about === undefined ? undefined : askedApproval(part)
    return [asked === undefined ? request : { ...request, asked }]
  })
}

/** Tells whether the same was said before, in an artifact and again in the message at the end. */
function identity({ text, data, metadata }: Part): string {
  return contentHash([metadata.partType, text, data])
}

/** What was made, and what was said and is none of that. */
function joined(made: readonly Part[], said: readonly Part[]): Part[] {
  const known = new Set(made.map(identity))
  return [...made, ...said.filter((part) => !known.has(identity(part)))]
}

function isData({ metadata }: Part): boolean {
  return metadata.partType === 'domain-data'
}

function tooMuch(what: string): BeachError {
  return new BeachError('TOO_LARGE', `The peer's answer has ${what}.`)
}

const maxIdLength = 1_000

/** Refuses ids that are no names: they are kept with every part, and go back to the peer with every request. */
function checkPeerIds(...ids: readonly string[]): void {
  if (ids.every((id) => id.length <= maxIdLength)) return
  throw new BeachError('PEER_PROTOCOL', `The peer has sent an id of more than ${maxIdLength} characters.`)
}

/**
 * Whether a task still waits for exactly this message: for this decision or, when it is none, for an answer that the
 * task's history does not have yet.
 */
export function stillWaits(
  task: Task,
  { messageId, parts }: OutgoingMessage,
  { peer, limits, isOver }: { readonly peer: string; readonly limits: CallLimits; readonly isOver: IsOver },
): boolean {
  const fold = new TaskFold(peer, limits, isOver)
  fold.take({ payload: { $case: 'task', value: task } })
  const decided = parts.flatMap(({ data, metadata }) => {
    if (metadata.partType !== 'approval-response') return []
    return approvalResponseSchema.safeParse(data).data?.approvalId ?? []
  })
  if (decided.length > 0) {
    const open = fold.state === 'suspended' ? fold.result().approvals : []
    return open.some(({ approvalId }) => decided.includes(approvalId))
  }
  const isAsking = fold.state === 'clarifying' || fold.state === 'unauthorized'
  return isAsking && !task.history.some((message) => message.messageId === messageId)
}
