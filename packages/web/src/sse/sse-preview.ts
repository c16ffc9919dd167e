import type { SharedLinks } from '@cool-ai/beach-channel/live'
import type { Frame } from '@cool-ai/beach-core'
import { frameBatch, type ChannelPreview, type PreviewItem, type TurnPreview } from '@cool-ai/beach-core/ports'
import { eventOf } from './encode.ts'
import { sseOriginator } from './sse-originator.ts'

/** The events that a page gets of a turn, one by one; text has come in pieces before its part. */
export function ssePreview(links: SharedLinks | undefined) {
  return async (turn: TurnPreview): Promise<ChannelPreview> => {
    const { sessionId, owner } = turn
    const batch = frameBatch(turn.frames(sseOriginator(sessionId, owner)))
    const linked = (await links?.add(batch, sessionId, owner)) ?? batch
    return { label: 'Browser', items: linked.map(itemOf) }
  }
}

function itemOf(frame: Frame): PreviewItem {
  const title = frame.kind === 'part' ? frame.part.metadata.partType : frame.kind
  return { kind: 'json', title, value: eventOf(frame) }
}
