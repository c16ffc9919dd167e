import type { StreamPart } from '@cool-ai/beach-protocol/stream'
import { fields, text } from './fields.ts'
import { asName } from './format.ts'

/** Other agents, by their ids, as they are called here. */
export type PeerNames = Readonly<Record<string, string>>

/** The other agent that a part comes from; undefined when it is this agent's own. */
export function peerOf({ metadata }: Pick<StreamPart, 'metadata'>): string | undefined {
  return text(fields(metadata.origin).peer)
}

/** Whose a part of another agent is: its actor, where the agent names one, and the agent; undefined for this agent's own. */
export function originName({ metadata }: Pick<StreamPart, 'metadata'>, names: PeerNames): string | undefined {
  const { peer, actor, from } = fields(metadata.origin)
  const id = text(peer)
  if (id === undefined) return undefined
  const name = peerName(id, names)
  const other = text(from)
  if (other !== undefined) return `${other}, through ${name}`
  const author = asName(text(actor) ?? '')
  return author === '' || author.toLowerCase() === name.toLowerCase() ? name : `${author} of ${name}`
}

/** What another agent is called; its id when it has no name here. */
export function peerName(id: string, names: PeerNames): string {
  return Object.entries(names).find(([known]) => known === id)?.[1] ?? id
}

/** A tool by its name; that of another agent's begins with who that is. */
export function toolTitle(toolName: string, names: PeerNames): string {
  const [peer] = toolName.split(': ', 1)
  return peer === undefined || peer === toolName ? toolName : peerName(peer, names) + toolName.slice(peer.length)
}
