import type { AgentCard, Message as A2aMessage } from '@a2a-js/sdk'
import { ContentTypeNotSupportedError } from '@a2a-js/sdk/errors'

type Part = A2aMessage['parts'][number]

/** The media types that an agent takes, as its card says it: those of all its skills together. */
export function inputModesOf({ defaultInputModes, skills }: AgentCard): readonly string[] {
  return [...new Set([...defaultInputModes, ...skills.flatMap(({ inputModes }) => inputModes)])]
}

/** Refuses a part whose media type the agent does not take. What says no type, is text or is JSON is always taken. */
export function checkMediaTypes({ parts }: A2aMessage, modes: readonly string[]): void {
  const foreign = parts.find((part) => !isTaken(part, modes))
  if (foreign === undefined) return
  const known = modes.join(', ')
  throw new ContentTypeNotSupportedError(`This agent does not take ${foreign.mediaType.slice(0, 100)}, but: ${known}.`)
}

function isTaken({ content, mediaType }: Part, modes: readonly string[]): boolean {
  if (mediaType === '') return true
  const type = mediaType.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === '' || modes.some((mode) => fits(type, mode.toLowerCase()))) return true
  if (content?.$case === 'text') return type.startsWith('text/')
  return content?.$case === 'data' && /^application\/(?:[\w.-]+\+)?json(?:\+[\w.-]+)?$/.test(type)
}

/** Also by a pattern such as `image/*`, or by the short form `text` that some cards have. */
function fits(type: string, mode: string): boolean {
  if (mode === '*' || mode === '*/*' || mode === type) return true
  return mode.endsWith('/*') ? type.startsWith(mode.slice(0, -1)) : !mode.includes('/') && type.startsWith(`${mode}/`)
}
