/** What an event has of people: an erasure takes the same out of it. The rest is its structure, which stays readable. */
const contentNames = ['payload', 'dedupeKey', 'externalId', 'answers', 'contentHash'] as const

type Json = Readonly<Record<string, unknown>>

/** An event as the store has it. One of a session keeps its structure next to `sealed`; of any other nothing is readable. */
export interface SealedEvent extends Json {
  readonly sealed: string
}

/** Seals a text, and says by which key. */
export type SealText = (text: string) => string

/** The event of a session, or of another log, without readable content; the same object when it has none. */
export function sealEvent(event: unknown, seal: SealText): unknown {
  if (!isOfSession(event)) return { sealed: seal(JSON.stringify(event)) }
  const content: Record<string, unknown> = {}
  const structure: Record<string, unknown> = {}
  let hasContent = false
  for (const [name, value] of Object.entries(event)) {
    const isContent = (contentNames as readonly string[]).includes(name)
    hasContent ||= isContent && value !== undefined
    ;(isContent ? content : structure)[name] = value
  }
  return hasContent ? { ...structure, sealed: seal(JSON.stringify(content)) } : event
}

export function isSealed(stored: unknown): stored is SealedEvent {
  return typeof stored === 'object' && stored !== null && 'sealed' in stored && typeof stored.sealed === 'string'
}

/** The event that was sealed; with no text, what is left of it once its key was destroyed. */
export function openedEvent(stored: SealedEvent, text: string | undefined): unknown {
  const { sealed: _, dataKey: __, ...structure } = stored
  if (!isOfSession(structure)) return text === undefined ? {} : (JSON.parse(text) as unknown)
  if (text !== undefined) return { ...structure, ...(JSON.parse(text) as Json) }
  return structure.type === 'messageReceived' ? { ...structure, contentHash: '' } : structure
}

/** An event without the key of its log, which the first one carries. */
export function withoutKey(stored: unknown): unknown {
  if (dataKeyOf(stored) === undefined) return stored
  const { dataKey: _, ...event } = stored as Json
  return event
}

/** The first event of a log, with the log's key. */
export function withKey(stored: unknown, dataKey: string): unknown {
  return { ...(stored as object), dataKey }
}

/** The wrapped data key that the first event of a log carries; empty when it was destroyed. */
export function dataKeyOf(stored: unknown): string | undefined {
  if (typeof stored !== 'object' || stored === null || !('dataKey' in stored)) return undefined
  return typeof stored.dataKey === 'string' ? stored.dataKey : undefined
}

/** Whose content a log has, as its first event tells: that of a session, or of what is remembered of a person. */
export function tenantOf(log: string, first: unknown): string | undefined {
  if (typeof first !== 'object' || first === null) return undefined
  const { tenant, type } = first as Json
  const isContent = (isOfSession(first) && type === 'sessionOpened') || log.startsWith('memory:')
  return isContent && typeof tenant === 'string' ? tenant : undefined
}

/** True for the event that opens a session once its owner was erased: all of the session's content goes with it. */
export function isErasedOpening(event: unknown): boolean {
  return isOfSession(event) && event.type === 'sessionOpened' && event.payload === undefined
}

function isOfSession(event: unknown): event is Json {
  if (typeof event !== 'object' || event === null) return false
  const { type, id, v } = event as Json
  return typeof type === 'string' && typeof id === 'string' && typeof v === 'number'
}
