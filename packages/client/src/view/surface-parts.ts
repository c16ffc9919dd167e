import type { StreamPart } from '@cool-ai/beach-protocol/stream'
import { fields, text } from './fields.ts'

/** How the ids of the surfaces begin that the system makes of approvals; no other surface may have such an id. */
const approvalSurface = 'approval-'

/** True for a surface that stands in the conversation. Those of approvals do not: they are decided elsewhere. */
export function isShownSurface({ partType, data }: StreamPart): boolean {
  return partType === 'a2ui-surface' && !surfaceIds(data).some((id) => id.startsWith(approvalSurface))
}

/** A surface's data without the name of its agent: the page itself says above it whose it is. */
export function withoutAgentName(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(withoutAgentName)
  const { createSurface, ...message } = fields(data)
  if (createSurface === undefined) return data
  const { agentDisplayName: _, ...theme } = fields(fields(createSurface).theme)
  return { ...message, createSurface: { ...fields(createSurface), theme } }
}

/** The surfaces that the messages in a part are about, in whichever form these come. */
function surfaceIds(data: unknown): readonly string[] {
  if (Array.isArray(data)) return data.flatMap((item: unknown) => surfaceIds(item))
  const { messages, ...message } = fields(data)
  const inside = Array.isArray(messages) ? surfaceIds(messages) : []
  return [...inside, ...Object.values(message).flatMap((body) => text(fields(body).surfaceId) ?? [])]
}
