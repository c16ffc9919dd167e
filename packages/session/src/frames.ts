import type { Frame, LoggedEvent, Part, SlotFilled, SlotSaid, TurnStarted } from '@cool-ai/beach-core'

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

/** The frames of events after a seq. Live text before the first of them is of earlier turns, and is left out. */
export async function* framesAfter(
  seq: number,
  batches: AsyncIterable<readonly Frame[]>,
): AsyncGenerator<readonly Frame[]> {
  let hasBegun = false
  let event: Frame[] = []
  for await (const frames of batches) {
    if (hasBegun) {
      yield frames
      continue
    }
    for (const frame of frames) {
      if (hasBegun || frame.kind !== 'delta') event.push(frame)
      if (hasBegun || frame.cursor === undefined) continue
      hasBegun = Number(frame.cursor) > seq
      if (!hasBegun) event = []
    }
    if (hasBegun) yield event
  }
}

function bareFrames({ event }: LoggedEvent): Durable[] {
  switch (event.type) {
    case 'messageReceived':
      return (event.payload?.parts ?? []).map((part, index) => ({
        kind: 'part',
        role: 'user',
        partId: `${event.messageId}.${index}`,
        part,
        at: event.at,
      }))
    case 'turnStarted':
      return [startFrame(event)]
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
      const { turnId, epoch = 0, turnState, step } = event
      return [{ kind: 'turn', turnId, epoch, turnState, step }]
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
    case 'sessionOpened':
    case 'stepCommitted':
    case 'toolStarted':
    case 'toolFinished':
    case 'approvalRequested':
    case 'approvalDecided':
    case 'approvalVoided':
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
    case 'actorNoted':
    case 'stateChanged':
    case 'stateTransitionRejected':
    case 'sliceEvent':
    case 'cancelRequested':
      return []
  }
}

function startFrame({ turnId, epoch, actor, messageIds }: TurnStarted): Durable {
  return { kind: 'turn', turnId, epoch, turnState: 'awaiting', actor, messageIds }
}

/** What the work of a manifest says or brings, shown with the turn that has opened the manifest. */
function slotPart(event: SlotFilled | SlotSaid, part: Part | undefined, suffix = ''): Durable[] {
  const { turnId, manifestId, slot, at } = event
  if (part === undefined) return []
  return [{ kind: 'part', role: 'agent', partId: `${manifestId}.${slot}${suffix}`, turnId, part, at }]
}
