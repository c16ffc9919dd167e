import { BEACH_EXTENSION_URI } from '@cool-ai/beach-protocol/agent-card'

/** What a calling agent says of itself and its message, besides the parts; these are unverified claims. */
export interface CallerMetadata {
  /** The agents that the request has come through, the first one first, the caller last. */
  readonly hops: readonly string[]
  /** The part types that the caller understands; undefined when it does not say. */
  readonly consumes?: readonly string[] | undefined
  /** Where the caller's Agent Card is. */
  readonly card?: string | undefined
  /** The capability that the message asks for. */
  readonly capability?: string | undefined
  /** `message` when the caller takes an answer that came without a stream as one message; a task otherwise. */
  readonly answer?: 'message' | undefined
}

// A2A has no field for these; an extension's keys begin with its URI.
const keys: Readonly<Record<keyof CallerMetadata, string>> = {
  hops: `${BEACH_EXTENSION_URI}/hops`,
  consumes: `${BEACH_EXTENSION_URI}/consumes`,
  card: `${BEACH_EXTENSION_URI}/card`,
  capability: `${BEACH_EXTENSION_URI}/capability`,
  answer: `${BEACH_EXTENSION_URI}/answer`,
}

const maxNames = 200
const maxNameLength = 200

/** The same as metadata of an A2A message. */
export function toMessageMetadata(caller: CallerMetadata): Record<string, unknown> {
  const entries = Object.entries(caller) as [keyof CallerMetadata, unknown][]
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[keys[name], value]])))
}

/** Reads the metadata of an A2A message; malformed members count as absent. */
export function fromMessageMetadata(metadata: Readonly<Record<string, unknown>> | undefined): CallerMetadata {
  if (metadata === undefined) return { hops: [] }
  return {
    hops: namesIn(metadata[keys.hops]) ?? [],
    consumes: namesIn(metadata[keys.consumes]),
    card: nameIn(metadata[keys.card], 2_000),
    capability: nameIn(metadata[keys.capability]),
    answer: metadata[keys.answer] === 'message' ? 'message' : undefined,
  }
}

/** The catalogs of surfaces that the caller can show, where it names them as A2UI does. */
export function catalogsIn(metadata: Readonly<Record<string, unknown>> | undefined): readonly string[] | undefined {
  const capabilities = metadata?.a2uiClientCapabilities
  if (typeof capabilities !== 'object' || capabilities === null) return undefined
  const said = Object.entries(capabilities).flatMap(([version, of]: [string, unknown]) => {
    if (!/^v?0\.9(\.\d+)?$/.test(version) || typeof of !== 'object' || of === null) return []
    return 'supportedCatalogIds' in of ? [namesIn(of.supportedCatalogIds) ?? []] : []
  })
  return said.length === 0 ? undefined : said.flat()
}

function nameIn(value: unknown, longest = maxNameLength): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= longest ? value : undefined
}

function namesIn(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.slice(0, maxNames).flatMap((name: unknown) => nameIn(name) ?? [])
}
