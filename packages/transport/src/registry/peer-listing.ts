import { isOrigin } from '@cool-ai/beach-channel/guarded-fetch'
import { BeachError } from '@cool-ai/beach-core'
import * as z from 'zod'
import type { PeerListing, PeerTrust } from './peer.ts'

const text = z.string().min(1, 'is empty')
const name = z.string().regex(/^\S{1,128}$/, 'is empty, too long, or has spaces')
const address = z.string().refine(isAddress, 'is not an http(s) URL without credentials')

const localTransportSchema = z.looseObject({
  protocol: text,
  endpoint: text.refine(isEndpoint, 'is no address'),
  version: text.exactOptional(),
})

const listingSchema = z
  .strictObject({
    id: name.exactOptional(),
    url: address.exactOptional(),
    cardUrl: address.exactOptional(),
    card: z.unknown().optional(),
    allowOrigins: z.array(z.string().refine(isOrigin, 'is not an origin')).exactOptional(),
    trust: z.custom<PeerTrust>(isTrust, 'is not a trust policy').exactOptional(),
    transports: z.array(localTransportSchema).exactOptional(),
    credentials: name.exactOptional(),
  })
  .refine(({ url, cardUrl, card }) => [url, cardUrl, card].filter((one) => one !== undefined).length === 1, {
    message: 'must have exactly one of url, cardUrl and card',
  })

/** What to give for a field, by its name. */
const fixes: Readonly<Record<string, string>> = {
  peers: "a list of peers, such as [{ url: 'https://travel.example.com/.well-known/agent-card.json' }]",
  id: "the peer's id, such as 'example-travel-agent'",
  url: "the address of the peer's card, such as 'https://travel.example.com/.well-known/agent-card.json'",
  cardUrl: "the address of the peer's card",
  allowOrigins: "a list of origins, such as ['https://api.example.com']",
  trust: '{ keys: { <kid>: <public key> } } or { jwks: { keys: [ … ] } }, with require: false if need be',
  transports: "a list such as [{ protocol: 'mcp', endpoint: 'stdio://travel-mcp', tool: 'ask_travel' }]",
  protocol: 'a transport, such as a2a or mcp',
  endpoint: "an address, such as 'https://…' or 'stdio://command'",
  version: "the protocol's version, such as '1.0'",
  credentials: 'the name under which the secret source has what is needed, not the secret itself',
}

/** The listed peers, when they are right; the error names every field that is not, and what to give. */
export function checkedListings(peers: unknown): readonly PeerListing[] {
  const result = z.array(listingSchema).safeParse(peers)
  if (!result.success) throw invalidListings(result.error.issues.map(messageOf))
  const ids = result.data.flatMap(({ id }) => id ?? [])
  const repeated = ids.filter((id, index) => ids.indexOf(id) < index)
  if (repeated.length > 0) throw invalidListings(repeated.map((id) => `Two peers have the id '${id}'. Remove one.`))
  return result.data
}

/** The error that says all that is wrong, a line each. */
export function invalidListings(lines: readonly string[]): BeachError {
  return new BeachError('INVALID_CONFIGURATION', lines.join('\n'))
}

function messageOf(issue: z.core.$ZodIssue): string {
  const path = ['peers', ...issue.path]
  const place = path.join('.')
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(listingSchema.shape).join(', ')
    return `${place} has ${issue.keys.join(', ')}, which is no field of a peer. Known are ${known}.`
  }
  const message = /^(?:is|must) /.test(issue.message) ? issue.message : 'is missing, or of the wrong kind'
  const field = path.findLast((step) => typeof step === 'string') ?? ''
  return `${place} ${message}. Give ${fixes[field]}.`
}

function isAddress(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}

function isEndpoint(value: string): boolean {
  return /^stdio:\/\/\S/.test(value) || (URL.canParse(value) && new URL(value).password === '')
}

function isTrust(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { keys, jwks, require } = value as { keys?: unknown; jwks?: unknown; require?: unknown }
  const hasKeys = typeof keys === 'object' && keys !== null
  const hasSet = (typeof jwks === 'object' && jwks !== null) || typeof jwks === 'function'
  return hasKeys !== hasSet && (require === undefined || typeof require === 'boolean')
}
