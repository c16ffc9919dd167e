import { defined } from '@cool-ai/beach-core/runtime'
import type { StreamPart } from '@cool-ai/beach-protocol/stream'

let count = 0

/** A part of an agent's turn, as a stream has it. */
export function said(
  partType: string,
  content: Partial<StreamPart> & { kind?: string; slotKey?: string } = {},
): StreamPart {
  const { kind, slotKey, metadata, ...rest } = content
  const more = defined({ kind, slotKey })
  return {
    partType,
    partId: `turn_a.0.${count++}`,
    role: 'agent',
    turnId: 'turn_a',
    at: 0,
    open: false,
    gap: false,
    ...rest,
    metadata: { partType, ...more, ...metadata },
  } as StreamPart
}

/** A message of the user. */
export function message(text: string, clientId?: string): StreamPart {
  const { turnId: _, ...part } = said('message', {
    text,
    ...(clientId !== undefined && { metadata: { partType: 'message', clientId } }),
  })
  return { ...part, role: 'user' }
}
