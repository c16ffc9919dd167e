import { BeachError, type AuthoredPart, type Part, type PartTypeRegistry } from '@cool-ai/beach-core'
import { authoredPartSchema, parsePart, toWirePart } from '@cool-ai/beach-protocol/parts'

/** The part types of actors only; from elsewhere they have no meaning of their own. */
export const actorsOnly: ReadonlySet<string> = new Set([
  'ack',
  'thinking',
  'response',
  'clarify',
  'error',
  'progress',
  'llm-context',
  'reasoning-trace',
  'approval-request',
  // Viewers of a session must be able to rely on its surfaces being the agent's.
  'a2ui-surface',
])

/** The parts of a message that an application makes: of type `message`, or of a registered type that not only actors say. */
export function messageParts(authored: readonly AuthoredPart[], partTypes: PartTypeRegistry): Part[] {
  return authored.map((part) => (isMessage(part) ? toWirePart(part) : registered(parsePart(part, partTypes))))
}

function isMessage(part: AuthoredPart): boolean {
  const { data } = authoredPartSchema.safeParse(part)
  if (data === undefined || (data.text === undefined && data.data === undefined)) return false
  return toWirePart(data).metadata.partType === 'message'
}

function registered(part: Part): Part {
  const { partType } = part.metadata
  if (!actorsOnly.has(partType)) return part
  throw new BeachError('INVALID_PART', `A part of type '${partType}' cannot be sent as a message.`)
}
