/** How the text of a part is shown: as something that is said, or as something that is thought. */
export type TextKind = 'text' | 'reasoning'

const kinds: ReadonlyMap<string, TextKind> = new Map([
  ['response', 'text'],
  ['ack', 'text'],
  ['clarify', 'text'],
  ['thinking', 'reasoning'],
])

/** Undefined for parts that are not text to be read in the conversation. */
export function textKindOf(partType: string): TextKind | undefined {
  return kinds.get(partType)
}

/** The message that shows a part's text. A step that runs again may say as a thought what it had said aloud. */
export function messageIdOf(partId: string, kind: TextKind): string {
  return kind === 'text' ? partId : `${partId}~thinking`
}

/** The message that shows what came of a call; the call itself is a message with the call's own id. */
export function resultIdOf(callId: string): string {
  return `${callId}~result`
}
