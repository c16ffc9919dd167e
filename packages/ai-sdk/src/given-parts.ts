import { inboundParts } from '@cool-ai/beach-channel/live'
import { BeachError, type Part, type PartTypeRegistry } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import type { GivenMessage } from './chat-request.ts'

const dataPrefix = 'data-'

/** The parts of what a person has said: texts, files, and data of any part type that people may send. */
export function givenParts({ id: messageId, parts }: GivenMessage, partTypes: PartTypeRegistry): Part[] {
  return parts.flatMap((part): Part[] => {
    const { type } = part
    const metadata = { partType: 'message', aiSdk: { messageId } }
    if (type === 'text') return typeof part.text === 'string' && part.text !== '' ? [{ text: part.text, metadata }] : []
    if (type === 'file') return [{ data: fileData(part), metadata }]
    if (!type.startsWith(dataPrefix)) return []
    const partType = type.slice(dataPrefix.length)
    const given = inboundParts([{ data: part.data ?? null, metadata: { partType } }], partTypes)
    return given.map((one) => ({ ...one, metadata: { ...one.metadata, aiSdk: { messageId } } }))
  })
}

/** Files are data: what can be made of them is for the actor to decide. */
function fileData({ url, mediaType, filename }: Readonly<Record<string, unknown>>): unknown {
  if (typeof url !== 'string' || typeof mediaType !== 'string') {
    throw new BeachError('BAD_REQUEST', 'A file of a message has a `url` and a `mediaType`.')
  }
  const [kind = ''] = mediaType.split('/')
  const about = {
    kind: ['image', 'audio', 'video'].includes(kind) ? kind : 'document',
    mediaType,
    ...defined({ filename: typeof filename === 'string' ? filename : undefined }),
  }
  const inline = /^data:[^,]*;base64,(.*)$/s.exec(url)
  return inline === null ? { url, ...about } : { raw: inline[1], ...about }
}
