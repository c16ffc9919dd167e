import type { LoggedEvent, SessionEvent } from '@cool-ai/beach-core/log'
import { mergedOrigins } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { sliceTitle } from './slice-title.ts'
import { pathSteps, type PathStep, type RowKind, type SpanMessage, type SpanRow, type TurnSpan } from './turn-span.ts'

type Of<Type extends SessionEvent['type']> = Extract<SessionEvent, { type: Type }>

interface OpenRow extends SpanRow {
  kind: RowKind
  title: string
  at: number
  endAt?: number | undefined
  outcome?: string | undefined
  detail: Record<string, unknown>
}

type AddRow = (kind: RowKind, id: string, title: string, detail: Record<string, unknown>) => OpenRow

interface OpenSpan extends Omit<TurnSpan, 'rows' | 'steps'> {
  settledAt?: number | undefined
  turnState: string
  finalizedBy?: string | undefined
  resumed: number
  readonly processes: string[]
  origins: readonly string[]
  readonly steps: Partial<Record<PathStep, number>>
  readonly rows: OpenRow[]
}

const maxTurnsMessages = 200

/** Folds events into turns: feed it a stretch of a log, oldest event first. */
export class TurnSpans {
  readonly #spans = new Map<string, OpenSpan>()
  readonly #messages = new Map<string, SpanMessage>()
  /** Rows by what later events name them by: calls, approvals, deliveries and manifests. */
  readonly #rows = new Map<string, OpenRow>()
  /** The approvals that parts ask for. */
  readonly #asks = new Map<string, string>()
  readonly #titles = new Map<string, string>()
  readonly #maxTurns: number

  /** Turns that start after this many others are left out. */
  constructor(maxTurns: number) {
    this.#maxTurns = maxTurns
  }

  get spans(): readonly TurnSpan[] {
    return [...this.#spans.values()].map((span) => ({
      ...span,
      rows: span.rows.toSorted((one, other) => one.at - other.at),
    }))
  }

  /** Whether all turns are there, and have settled. */
  get isComplete(): boolean {
    const isOpen = [...this.#spans.values()].some(({ settledAt }) => settledAt === undefined)
    return this.#spans.size >= this.#maxTurns && !isOpen
  }

  add({ seq, event }: LoggedEvent): void {
    if (event.type === 'messageReceived') this.#received(event, seq)
    else if (event.type === 'turnStarted') this.#started(event, seq)
    else if (event.type === 'deliverySent' || event.type === 'deliveryFailed' || event.type === 'deliveryRetried') {
      this.#attempted(event, seq)
    } else if (event.type === 'slotStarted') this.#slot(event)
    else if ('turnId' in event && event.turnId !== undefined) {
      const span = this.#spans.get(event.turnId)
      if (span !== undefined) this.#inTurn(span, event, seq)
    } else if (
      event.type === 'stateChanged' ||
      event.type === 'stateTransitionRejected' ||
      event.type === 'sliceEvent'
    ) {
      // Outside of turns: shown with the last one.
      const last = [...this.#spans.values()].at(-1)
      if (last !== undefined) this.#inTurn(last, event, seq)
    }
  }

  #received({ messageId, originatorId, at, origins, payload }: Of<'messageReceived'>, seq: number): void {
    const { from, parts = [] } = payload ?? {}
    const message = { seq, at, messageId, originatorId, transport: from?.transport, parts, origins }
    this.#messages.set(messageId, defined(message))
    if (this.#messages.size > maxTurnsMessages) this.#messages.delete([...this.#messages.keys()][0] ?? '')
  }

  #started({ turnId, actor, messageIds, at, process }: Of<'turnStarted'>, seq: number): void {
    if (this.#spans.size >= this.#maxTurns) return
    const messages = messageIds.flatMap((id) => this.#messages.get(id) ?? [])
    const [first] = messages
    const receivedAt = first?.at ?? at
    this.#spans.set(turnId, {
      turnId,
      actor,
      seq,
      since: first?.seq ?? seq,
      receivedAt,
      startedAt: at,
      turnState: 'awaiting',
      resumed: 0,
      processes: process === undefined ? [] : [process],
      messages,
      origins: mergedOrigins(...messages.map(({ origins }) => origins)),
      steps: { receive: receivedAt, route: receivedAt, turn: at },
      rows: [],
    })
  }

  #inTurn(span: OpenSpan, event: SessionEvent, seq: number): void {
    const { at } = event
    if ('origins' in event && event.origins !== undefined) span.origins = mergedOrigins(span.origins, event.origins)
    const row: AddRow = (kind, id, title, detail) => {
      const added: OpenRow = { id, kind, title, seq, at, detail: defined(detail) }
      span.rows.push(added)
      this.#rows.set(id, added)
      return added
    }
    switch (event.type) {
      case 'turnResumed':
        this.#resumed(span, event, row)
        return
      case 'turnRetryScheduled':
        row('host', `retry.${seq}`, `Failed; runs again`, { failures: event.failures, retryAt: event.retryAt })
        return
      case 'cancelRequested':
        row('host', `cancel.${seq}`, 'Cancel requested', { by: event.payload?.by })
        return
      case 'stepCommitted':
        reach(span, 'act', span.startedAt)
        reach(span, 'respond', at)
        row('step', `step.${span.turnId}.${event.step}`, `Step ${event.step}`, {
          step: event.step,
          partIds: event.partIds,
          answer: event.payload?.answer,
          origins: event.origins,
        }).outcome = 'committed'
        return
      case 'actorNoted':
        this.#noted(span, event, row)
        return
      case 'partReceived':
        this.#noteRequest(event)
        row('part', event.partId, event.partType, { turnState: event.turnState, part: event.payload?.part })
        return
      case 'toolStarted':
        reach(span, 'act', at)
        row('tool', `call.${event.callId}`, event.name, {
          callId: event.callId,
          client: event.client,
          args: event.payload?.args,
        })
        return
      case 'toolFinished':
        this.#end(`call.${event.callId}`, event, event.outcome, {
          result: event.payload?.value,
          origins: event.origins,
        })
        return
      case 'approvalRequested':
        row('approval', `approval.${event.approvalId}`, this.#titles.get(event.approvalId) ?? 'Approval', {
          approvalId: event.approvalId,
          asked: [],
          expiresAt: event.expiresAt,
          level: event.level,
        })
        return
      case 'approvalFollowedUp':
        this.#end(`approval.${event.approvalId}`, undefined, undefined, { followUps: event.done })
        return
      case 'approvalDecided':
        this.#end(`approval.${event.approvalId}`, event, event.decision, { ...event.payload, allow: event.allow })
        return
      case 'approvalVoided':
        this.#end(`approval.${event.approvalId}`, event, 'void', {})
        return
      case 'manifestOpened':
        row('work', `manifest.${event.manifestId}`, event.name, { slots: event.slots, args: event.payload?.args })
        return
      case 'slotFilled':
        this.#slotFilled(event)
        return
      case 'manifestSettled':
        this.#end(`manifest.${event.manifestId}`, event, event.finalizedBy, { missing: event.missing })
        return
      case 'deliveryQueued':
        reach(span, 'deliver', at)
        this.#noteAsked(event)
        row('delivery', `delivery.${event.deliveryId}`, `To ${event.originatorId}`, {
          deliveryId: event.deliveryId,
          originatorId: event.originatorId,
          partIds: event.partIds ?? 'the settled envelope',
          followsUp: event.followsUp,
          attempts: [],
        })
        return
      case 'stateChanged':
        row(
          'state',
          `state.${seq}`,
          event.transitions.map(({ coordinate, to }) => `${coordinate} → ${to}`).join(', '),
          {
            transitions: event.transitions,
            peer: event.peer,
          },
        )
        return
      case 'stateTransitionRejected':
        row('state', `state.${seq}`, 'A state change was refused', { reason: event.reason, peer: event.peer }).outcome =
          'refused'
        return
      case 'sliceEvent':
        row('flow', `slice.${seq}`, sliceTitle(event.ns, event.name, event.payload), { ...event.payload })
        return
      case 'turnStateChanged':
        span.turnState = event.turnState
        return
      case 'turnSettled':
        span.turnState = event.turnState
        span.finalizedBy = event.finalizedBy
        span.settledAt = at
        reach(span, 'collect', at)
        return
      default:
    }
  }

  #resumed(span: OpenSpan, { process, epoch, attempt, ...event }: Of<'turnResumed'>, row: AddRow): void {
    const before = span.processes.at(-1)
    const isOther = process !== undefined && before !== undefined && process !== before
    if (isOther || (process !== undefined && before === undefined)) span.processes.push(process)
    span.resumed++
    const title = isOther ? 'Taken over by another process' : 'Resumed'
    const taken = isOther ? { before, running: runningOf(span) } : {}
    row('host', `resume.${event.id}`, title, { process, ...taken, attempt, epoch })
  }

  #noteRequest({ partId, partType, payload }: Of<'partReceived'>): void {
    if (partType !== 'approval-request' || payload === undefined) return
    const { approvalId } = Object(payload.part.data) as { approvalId?: unknown }
    const { title } = Object(payload.part.metadata.about) as { title?: unknown }
    if (typeof approvalId !== 'string') return
    this.#asks.set(partId, approvalId)
    if (typeof title === 'string') this.#titles.set(approvalId, title)
  }

  /** A request that is sent to an originator: who was asked, and where. */
  #noteAsked({ originatorId, partIds = [] }: Of<'deliveryQueued'>): void {
    for (const partId of partIds) {
      const asked = this.#rows.get(`approval.${this.#asks.get(partId) ?? ''}`)?.detail.asked
      if (Array.isArray(asked) && !asked.includes(originatorId)) asked.push(originatorId)
    }
  }

  /** What a model's message has cost, and its prompt, belong to the step that it was committed with, if there is one. */
  #noted(span: OpenSpan, { kind, payload, at }: Of<'actorNoted'>, row: AddRow): void {
    const value = payload?.value
    const id = `note.${span.rows.length}.${at}`
    const last = span.rows.findLast((one) => one.kind === 'model' || one.kind === 'step')
    if (kind === 'usage') {
      const { model, ms = 0 } = Object(value) as { model?: unknown; ms?: unknown }
      const call = last?.kind === 'step' ? last : row('model', id, '', {})
      call.kind = 'model'
      call.detail.usage = value
      call.title = typeof model === 'string' ? model : 'A model'
      if (typeof ms === 'number') Object.assign(call, { at: call.at - ms, endAt: call.at })
    } else if (kind === 'prompt' && last?.kind === 'model') last.detail.prompt = value
    else row('note', id, kind, { value })
  }

  #attempted(event: Of<'deliverySent' | 'deliveryFailed' | 'deliveryRetried'>, seq: number): void {
    const row = this.#rows.get(`delivery.${event.deliveryId}`)
    if (row === undefined) return
    const attempts = row.detail.attempts as unknown[]
    if (event.type === 'deliverySent') {
      row.endAt = event.at
      row.outcome = 'sent'
      attempts.push(defined({ at: event.at, seq, outcome: 'sent', externalId: event.externalId }))
      const span = [...this.#spans.values()].find((one) => one.rows.includes(row))
      if (span !== undefined) reach(span, 'send', event.at)
    } else if (event.type === 'deliveryFailed') {
      row.endAt = event.at
      row.outcome = event.nextAt === undefined ? 'dead' : 'failed'
      const { attempt, nextAt, payload } = event
      attempts.push(defined({ at: event.at, seq, outcome: 'failed', attempt, nextAt, reason: payload?.reason }))
    } else {
      row.outcome = 'retried'
      attempts.push({ at: event.at, seq, outcome: 'retried', by: event.payload?.by })
    }
  }

  #slot({ manifestId, slot, at }: Of<'slotStarted'>): void {
    const row = this.#rows.get(`manifest.${manifestId}`)
    if (row !== undefined) row.detail[`${slot} started`] = at
  }

  #slotFilled({ manifestId, slot, outcome, origins, payload, at }: Of<'slotFilled'>): void {
    const row = this.#rows.get(`manifest.${manifestId}`)
    if (row !== undefined) row.detail[slot] = { outcome, at, ...defined({ origins }), ...payload }
  }

  #end(
    id: string,
    event: SessionEvent | undefined,
    outcome: string | undefined,
    detail: Record<string, unknown>,
  ): void {
    const row = this.#rows.get(id)
    if (row === undefined) return
    if (event !== undefined) row.endAt = event.at
    if (outcome !== undefined) row.outcome = outcome
    Object.assign(row.detail, defined(detail))
  }
}

/** The tools and slots that have begun and have no result yet. */
function runningOf({ rows }: OpenSpan): readonly string[] {
  return rows.flatMap(({ kind, title, endAt, detail }) => {
    if (endAt !== undefined) return []
    if (kind === 'tool') return detail.client === undefined ? [`tool ${title}`] : []
    if (kind !== 'work') return []
    const slots = detail.slots as readonly { readonly slot: string }[]
    const open = slots.filter(({ slot }) => detail[`${slot} started`] !== undefined && detail[slot] === undefined)
    return open.map(({ slot }) => `slot ${slot}`)
  })
}

/** Notes when a step of the path was first reached. */
function reach({ steps }: OpenSpan, step: PathStep, at: number): void {
  if (pathSteps.includes(step)) steps[step] ??= at
}
