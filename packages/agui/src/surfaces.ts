import { EventType, type ActivitySnapshotEvent } from '@ag-ui/core'
import type { Frame, Sessions } from '@cool-ai/beach-core'
import { peerOrigin, type PartOrigin } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { readA2uiMessages, surfaceIds, type A2uiMessage } from '@cool-ai/beach-protocol'
import type { ThreadSession } from '@cool-ai/beach-channel/threads'

type PartFrame = Extract<Frame, { kind: 'part' }>

interface Surface {
  /** The activity that shows it: of the turn that created it. */
  readonly messageId: string
  readonly operations: readonly A2uiMessage[]
  /** The other agent whose surface it is; undefined for the agent's own. */
  readonly origin: PartOrigin | undefined
}

/** Surfaces as activities: each has all the operations that lead to what it shows now, since a client replaces it. */
export class Surfaces {
  readonly #surfaces = new Map<string, Surface>()

  /** The surfaces that a part changes and that are not known here: they are of earlier turns. */
  missing({ part }: PartFrame): string[] {
    const messages = readA2uiMessages(part.data) ?? []
    const created = new Set(messages.flatMap((message) => (creates(message) ? surfaceIds([message]) : [])))
    return surfaceIds(messages).filter((id) => !created.has(id) && !this.#surfaces.has(id))
  }

  /** The part as activities; undefined when it has no surface that could be read. */
  show(frame: PartFrame): ActivitySnapshotEvent[] | undefined {
    const messages = readA2uiMessages(frame.part.data)
    if (messages === undefined) return undefined
    for (const message of messages) this.#add(message, frame)
    return surfaceIds(messages).flatMap((id) => {
      const surface = this.#surfaces.get(id)
      return surface === undefined ? [] : [activityOf(surface, frame.at)]
    })
  }

  #add(message: A2uiMessage, { turnId, partId, part }: PartFrame): void {
    for (const surfaceId of surfaceIds([message])) {
      const before = this.#surfaces.get(surfaceId)
      const isNew = before === undefined || creates(message)
      const messageId = isNew ? `a2ui-surface-${surfaceId}-${turnId ?? partId}` : before.messageId
      const operations = isNew ? [message] : [...before.operations.filter((one) => !replaces(message, one)), message]
      this.#surfaces.set(surfaceId, { messageId, operations, origin: peerOrigin(part) })
    }
  }
}

/** What had been shown on these surfaces before an event. */
export async function showEarlier(
  surfaces: Surfaces,
  ids: readonly string[],
  { sessions, place, before }: { sessions: Sessions; place: ThreadSession; before: string | undefined },
): Promise<void> {
  for await (const frame of sessions.history(place.session, place.to, '0')) {
    if (before !== undefined && Number(frame.cursor ?? 0) >= Number(before)) return
    if (frame.kind !== 'part' || frame.part.metadata.partType !== 'a2ui-surface') continue
    if (surfaceIds(readA2uiMessages(frame.part.data) ?? []).some((id) => ids.includes(id))) surfaces.show(frame)
  }
}

function activityOf({ messageId, operations, origin }: Surface, timestamp: number): ActivitySnapshotEvent {
  return {
    type: EventType.ACTIVITY_SNAPSHOT,
    messageId,
    activityType: 'a2ui-surface',
    content: { a2ui_operations: operations, ...defined({ origin }) },
    replace: true,
    timestamp,
  }
}

function creates(message: A2uiMessage): boolean {
  return message.createSurface !== undefined
}

/** True when nothing of an earlier operation is seen any more after a later one on the same surface. */
function replaces(later: A2uiMessage, earlier: A2uiMessage): boolean {
  if (later.deleteSurface !== undefined) return true
  if (later.updateDataModel === undefined || earlier.updateDataModel === undefined) return false
  const path = pathOf(later)
  return path === '' || pathOf(earlier) === path || pathOf(earlier).startsWith(`${path}/`)
}

/** Where a message changes the data; empty for all of it. */
function pathOf({ updateDataModel }: A2uiMessage): string {
  const { path } = updateDataModel as { readonly path?: unknown }
  return typeof path === 'string' && path !== '/' ? path : ''
}
