import type { Frame, Part, Principal } from '@cool-ai/beach-core'
import type {
  ApprovalDecided,
  LoggedEvent,
  SliceEvent,
  SlotFilled,
  SlotSaid,
  StateChanged,
} from '@cool-ai/beach-core/log'
import { defined } from '@cool-ai/beach-core/runtime'
import { expiry } from '../approvals/approvals.ts'

type Durable = Exclude<Frame, { kind: 'delta' }>

/**
 * What a listener sees of a logged event. Only the last frame of an event carries the cursor: a listener that is cut off
 * in between gets all of them again, and applies them by id.
 */
export function framesOf({ seq, event }: LoggedEvent): readonly Frame[] {
  const frames = bareFrames({ seq, event })
  const last = frames.pop()
  return last === undefined ? [] : [...frames, { ...last, cursor: String(seq) }]
}

function bareFrames({ seq, event }: LoggedEvent): Durable[] {
  switch (event.type) {
    case 'messageReceived':
      return (event.payload?.parts ?? []).map((part, index) => ({
        kind: 'part',
        role: 'user',
        partId: `${event.messageId}.${index}`,
        part,
        at: event.at,
      }))
    case 'turnStarted': {
      const { turnId, epoch, actor, messageIds } = event
      return [{ kind: 'turn', turnId, epoch, turnState: 'awaiting', actor, messageIds }]
    }
    case 'turnResumed':
      return [
        { kind: 'retract', turnId: event.turnId, epoch: event.epoch },
        { kind: 'turn', turnId: event.turnId, epoch: event.epoch, turnState: 'awaiting', attempt: event.attempt },
      ]
    case 'partReceived': {
      const { turnId, partId, turnState, at, payload } = event
      return payload === undefined
        ? []
        : [{ kind: 'part', role: 'agent', partId, turnId, turnState, part: payload.part, at }]
    }
    case 'turnStateChanged': {
      const { turnId, epoch = 0, turnState, step, waitsForClient } = event
      const waits = waitsForClient && { waitsForClient }
      return [{ kind: 'turn', turnId, epoch, turnState, ...(step >= 0 && { step }), ...waits }]
    }
    case 'turnSettled': {
      const { turnId, turnState, finalizedBy, at } = event
      return [{ kind: 'settled', turnId, turnState, finalizedBy, at }]
    }
    case 'questionWithdrawn': {
      const { turnId, at } = event
      return [{ kind: 'settled', turnId, turnState: 'clarifying', finalizedBy: 'cancelled', at }]
    }
    case 'slotSaid':
      return slotPart(event, event.payload?.part, `~${event.index}`)
    case 'slotFilled':
      return slotPart(event, event.payload?.part)
    case 'approvalDecided':
      return decisionFrames(event)
    case 'approvalVoided': {
      const { turnId, approvalId, at } = event
      return [{ kind: 'decision', turnId, approvalId, outcome: 'void', at }]
    }
    case 'toolStarted': {
      const { turnId, callId, name, client, expiresAt, at, payload } = event
      return [defined({ kind: 'call', turnId, callId, name, args: payload?.args, client, expiresAt, at } as const)]
    }
    case 'toolFinished': {
      const { turnId, callId, outcome, client, at, payload } = event
      return [defined({ kind: 'result', turnId, callId, outcome, value: payload?.value, client, at } as const)]
    }
    case 'stateChanged':
      return [movedFrame(event, seq)]
    case 'sliceEvent':
      return sliceFrames(event)
    case 'sessionOpened':
    case 'stepCommitted':
    case 'approvalRequested':
    case 'approvalFollowedUp':
    case 'turnRetryScheduled':
    case 'manifestOpened':
    case 'slotStarted':
    case 'manifestSettled':
    case 'originatorJoined':
    case 'originatorLeft':
    case 'deliveryQueued':
    case 'deliverySent':
    case 'deliveryFailed':
    case 'deliveryRetried':
    case 'clientOffered':
    case 'actorNoted':
    case 'exposedToolStarted':
    case 'exposedToolFinished':
    case 'stateTransitionRejected':
    case 'cancelRequested':
    case 'dataErased':
      return []
    default:
      // A newer process may write kinds of events that this one does not know.
      return []
  }
}

/** A part of a manifest's work, shown with the turn that has opened the manifest. */
function slotPart(event: SlotFilled | SlotSaid, part: Part | undefined, suffix = ''): Durable[] {
  const { turnId, manifestId, slot, at } = event
  if (part === undefined) return []
  return [{ kind: 'part', role: 'agent', partId: `${manifestId}.${slot}${suffix}`, turnId, part, at }]
}

/** A part of a slice: it belongs to no turn. */
function sliceFrames({ id, answers, payload, at }: SliceEvent): Durable[] {
  if (payload?.part === undefined) return []
  return [defined({ kind: 'part', role: 'agent', partId: id, part: payload.part, at, answers })]
}

const kinds: readonly string[] = ['anonymous', 'user', 'peer', 'operator'] satisfies Principal['kind'][]

/** Who decided is told by kind only: ids may be addresses or names. */
function decisionFrames({ turnId, approvalId, decision, payload, at }: ApprovalDecided): Durable[] {
  const { decidedBy, via, args } = payload ?? {}
  const frame = { kind: 'decision', turnId, approvalId, at, ...defined({ via, args }) } as const
  if (decidedBy === undefined) return [{ ...frame, outcome: decision }]
  if (decidedBy === expiry) return [{ ...frame, outcome: 'expired' }]
  const [by = ''] = decidedBy.split('~')
  // A grant by policy was never asked for.
  return isKind(by) ? [{ ...frame, outcome: decision, by }] : []
}

function isKind(word: string): word is Principal['kind'] {
  return kinds.includes(word)
}

/** Only the moved coordinates: the others are added for each listener. */
function movedFrame({ turnId, transitions }: StateChanged, seq: number): Durable {
  const coordinates = Object.fromEntries(transitions.map(({ coordinate, to }) => [coordinate, to]))
  return defined({ kind: 'state', turnId, seq, coordinates })
}
