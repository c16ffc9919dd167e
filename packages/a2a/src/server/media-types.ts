import type { AgentCard, Message as A2aMessage } from '@a2a-js/sdk'
import { ContentTypeNotSupportedError } from '@a2a-js/sdk/errors'
import { askedCapabilities } from '@cool-ai/beach-channel/auth'

type Part = A2aMessage['parts'][number]

/** Whether a caller takes a media type. */
export type Accepts = (mediaType: string) => boolean

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
  const type = typeOf(mediaType)
  if (type === '' || modes.some((mode) => fits(type, typeOf(mode)))) return true
  if (content?.$case === 'text') return type.startsWith('text/')
  return content?.$case === 'data' && /^application\/(?:[\w.-]+\+)?json(?:\+[\w.-]+)?$/.test(type)
}

/** What a caller takes that says so; undefined for one that takes everything. */
export function accepting(modes: readonly string[] | undefined): Accepts | undefined {
  if (modes === undefined || modes.length === 0) return undefined
  const known = acceptedTypes(modes)
  return (mediaType) => known.some((mode) => fits(typeOf(mediaType), mode))
}

/** Plain text is Markdown, too. */
function acceptedTypes(modes: readonly string[]): string[] {
  const types = modes.map(typeOf)
  return types.includes('text/markdown') ? [...types, 'text/plain'] : types
}

// Surfaces are made of data by every agent, whatever its card says.
const surfaceTypes = ['application/a2ui+json', 'application/json+a2ui']

/** Refuses a message whose sender takes nothing that the agent answers with, or the skills that it asks for. */
export function checkOutputModes(accepted: readonly string[], message: A2aMessage, cards: readonly AgentCard[]): void {
  if (accepted.length === 0) return
  const offered = [...new Set(cards.flatMap((card) => outputModesOf(card, askedCapabilities(message))))]
  const isOffered = acceptedTypes(accepted).some((mode) => {
    return [...offered, ...surfaceTypes].map(typeOf).some((type) => fits(type, mode) || fits(mode, type))
  })
  if (isOffered || offered.length === 0) return
  const refusal = `This agent answers with ${offered.join(', ')}. Add one of these to acceptedOutputModes.`
  throw new ContentTypeNotSupportedError(refusal)
}

function outputModesOf({ defaultOutputModes, skills }: AgentCard, asked: readonly string[]): readonly string[] {
  const named = skills.filter(({ id }) => asked.includes(id))
  const own = (named.length === 0 ? skills : named).map(({ outputModes }) => outputModes)
  const isByDefault = named.length === 0 || own.some((modes) => modes.length === 0)
  return [...(isByDefault ? defaultOutputModes : []), ...own.flat()]
}

/** A media type without its parameters. */
function typeOf(mediaType: string): string {
  return mediaType.split(';')[0]?.trim().toLowerCase() ?? ''
}

/** Also by a pattern such as `image/*`, or by the short form `text` that some cards have. */
function fits(type: string, mode: string): boolean {
  if (mode === '*' || mode === '*/*' || mode === type) return true
  return mode.endsWith('/*') ? type.startsWith(mode.slice(0, -1)) : !mode.includes('/') && type.startsWith(`${mode}/`)
}
