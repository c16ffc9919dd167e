import type { EnvelopeMeta } from '@cool-ai/beach-core'
import { BEACH_EXTENSION_URI } from '@cool-ai/beach-protocol/agent-card'

type Metadata = Readonly<Record<string, unknown>> | undefined

const names = [
  'sessionId',
  'turnId',
  'eventId',
  'originatorId',
  'producedAt',
  'turnState',
  'conversationState',
  'finalizedBy',
] as const satisfies readonly (keyof EnvelopeMeta)[]

/** What a Beach peer says of its envelope in a message's metadata; undefined when the message is no envelope. */
export function envelopeMeta(metadata: Metadata): Partial<EnvelopeMeta> | undefined {
  const found = [metadata?.[`${BEACH_EXTENSION_URI}/meta`], metadata?.meta, metadata].find(
    (meta) => isObject(meta) && typeof meta.turnId === 'string' && typeof meta.sessionId === 'string',
  )
  if (!isObject(found)) return undefined
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = found[name]
      return typeof value === 'string' && value.length <= 500 ? [[name, value]] : []
    }),
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
