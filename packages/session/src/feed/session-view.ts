import type { Coordinates, SessionView } from '@cool-ai/beach-core'
import { sessionSlice, sliceState, type SessionRecord, type SessionState } from '@cool-ai/beach-core/log'
import type { InFlight, ManifestView } from '@cool-ai/beach-core/ports'
import { allowanceSlice } from '../approvals/allowance-slice.ts'
import { deliverySlice, type DeliveryState } from '../delivery/delivery-slice.ts'
import { manifestSlice, missingSlots, type OpenManifest } from '../manifests/manifest-slice.ts'
import { pendingApprovals, turnSlice, type OpenTurn } from '../turn/turn-slice.ts'

/** The view of a session from its folded state alone. */
export function sessionView({ session, head, state }: SessionRecord, coordinates: Coordinates): SessionView {
  const { owner, epoch } = sliceState(sessionSlice, state)
  const { turn, mailbox } = sliceState(turnSlice, state)
  const delivery = sliceState(deliverySlice, state)
  return {
    sessionId: session,
    head,
    epoch,
    coordinates,
    waiting: mailbox.length,
    owner,
    turn: turn && turnView(turn),
    originators: originatorViews(delivery),
    manifests: Object.values(sliceState(manifestSlice, state)).map(manifestView),
    inFlight: inFlight(state),
    deadLetters: delivery.dead.map(({ deliveryId, originatorId, turnId, attempts, nextAt: at }) => {
      return { deliveryId, originatorId, turnId, attempts, at }
    }),
    allowances: sliceState(allowanceSlice, state),
  }
}

function turnView(turn: OpenTurn) {
  return {
    turnId: turn.turnId,
    actor: turn.actor,
    turnState: turn.turnState,
    step: turn.steps.length,
    pendingApprovals: pendingApprovals(turn).map((approval) => approval.approvalId),
  }
}

function originatorViews({ originators }: DeliveryState): SessionView['originators'] {
  return Object.entries(originators).flatMap(([originatorId, { originator, listens, hears, cursor }]) => {
    if (originator === undefined) return []
    const { transport, deliveryClass, via } = originator
    return [{ originatorId, transport, deliveryClass, listens, hears, cursor, via }]
  })
}

function manifestView({ manifestId, name, turnId, openedAt, deadline, slots }: OpenManifest): ManifestView {
  const states = slots.map(({ slot, state }) => ({ slot, state }))
  return { manifestId, name, turnId, openedAt, deadline, slots: states }
}

/** All work in progress, of every kind. */
function inFlight(state: SessionState): InFlight[] {
  const { turn } = sliceState(turnSlice, state)
  const manifests = Object.values(sliceState(manifestSlice, state))
  const things = [
    ...(turn === undefined ? [] : turnThings(turn)),
    ...manifests.flatMap(slotThings),
    ...sliceState(deliverySlice, state).pending.map((delivery): InFlight => {
      const { deliveryId, originatorId, turnId, queuedAt, nextAt } = delivery
      return { kind: 'delivery', id: deliveryId, name: originatorId, turnId, since: queuedAt, until: nextAt }
    }),
  ]
  return things.toSorted((one, other) => one.since - other.since)
}

function turnThings(turn: OpenTurn): InFlight[] {
  const { turnId } = turn
  const tools = turn.tools.filter((tool) => tool.outcome === undefined)
  return [
    ...tools.map(({ callId, name, startedAt, expiresAt, client }): InFlight => {
      return { kind: 'tool', id: callId, name, turnId, since: startedAt, until: expiresAt, client }
    }),
    ...pendingApprovals(turn).map(({ approvalId, requestedAt, expiresAt }): InFlight => {
      return { kind: 'approval', id: approvalId, name: turn.actor, turnId, since: requestedAt, until: expiresAt }
    }),
  ]
}

function slotThings(manifest: OpenManifest): InFlight[] {
  const { manifestId, turnId, openedAt: since, deadline: until } = manifest
  return missingSlots(manifest).map(({ slot, work }) => {
    return { kind: 'slot', id: `${manifestId}.${slot}`, name: work, turnId, since, until }
  })
}
