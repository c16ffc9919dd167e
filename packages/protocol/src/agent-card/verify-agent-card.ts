import { BeachError } from '@cool-ai/beach-core'
import type { CryptoKey, FlattenedJWSInput, JSONWebKeySet, JWK, JWSHeaderParameters, KeyObject } from 'jose'
import * as base64url from 'jose/base64url'
import { decodeProtectedHeader } from 'jose/decode/protected_header'
import * as errors from 'jose/errors'
import { createLocalJWKSet } from 'jose/jwks/local'
import { flattenedVerify } from 'jose/jws/flattened/verify'
import { toCardValue, agentCardToJson, type AgentCardJson } from './card-json.ts'
import { signatureAlgorithms } from './sign-agent-card.ts'
import { AgentCard, canonicalizeAgentCard } from '@a2a-js/sdk'
import { isPlainObject } from '../plain-value.ts'
import { a2aCardSchema, withoutNulls } from './a2a-card.ts'
import { canonicalCard } from './canonical-json.ts'
import { parseCard } from './card-problems.ts'

type PublicKey = CryptoKey | KeyObject | JWK

/** The keys that are trusted, by their `kid`, as a set, or by a function; a card's own `jku` is never followed. */
export type TrustedKeys =
  | { readonly keys: Readonly<Record<string, PublicKey>> }
  | { readonly jwks: JSONWebKeySet | ((header: JWSHeaderParameters, jws: FlattenedJWSInput) => Promise<CryptoKey>) }

/** Which keys a card's signature may be of. */
export type VerifyAgentCardOptions = TrustedKeys & {
  /**
   * Also accepts what the SDKs sign. They leave out what is empty and, in JavaScript, all security schemes: these
   * members are then unverified.
   */
  readonly allowPartial?: boolean | undefined
}

/** Whose signature a card carries. */
export interface VerifiedSignature {
  readonly kid: string
  readonly alg: string
  /** False when the signature leaves out some of what the card says. */
  readonly isComplete: boolean
}

/** Why a card is not believed. */
export type SignatureRefusal = 'unsigned' | 'unknown-key' | 'invalid'

const refusals: Readonly<Record<SignatureRefusal, string>> = {
  unsigned: 'has no signature',
  'unknown-key': 'is not signed with a key that is trusted here',
  invalid: 'has a signature that does not fit what it says',
}

/** Finds a signature of a trusted key over all that a card says; throws when there is none, `details.reason` says why. */
export async function verifyAgentCard(given: unknown, options: VerifyAgentCardOptions): Promise<VerifiedSignature> {
  const { signatures, payloads } = readSigned(toCardValue(given), options.allowPartial ?? false)
  const find = keyFinder(options)
  let reason: SignatureRefusal = signatures.length === 0 ? 'unsigned' : 'unknown-key'
  for (const signature of signatures) {
    const outcome = await verifyOne(signature, payloads, find)
    if (typeof outcome === 'object') return outcome
    if (outcome === 'invalid') reason = outcome
  }
  throw new BeachError('UNAUTHENTICATED', `The Agent Card ${refusals[reason]}.`, { details: { reason } })
}

type FindKey = (header: JWSHeaderParameters, jws: FlattenedJWSInput) => Promise<PublicKey | undefined>

function keyFinder(options: TrustedKeys): FindKey {
  if ('keys' in options) {
    const { keys } = options
    return async ({ kid = '' }) => (Object.hasOwn(keys, kid) ? keys[kid] : undefined)
  }
  const lookup = typeof options.jwks === 'function' ? options.jwks : createLocalJWKSet(options.jwks)
  return async (header, jws) => {
    try {
      return await lookup(header, jws)
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JOSENotSupported) return undefined
      throw error
    }
  }
}

async function verifyOne(
  signature: Signature,
  payloads: readonly Payload[],
  find: FindKey,
): Promise<VerifiedSignature | SignatureRefusal> {
  const header = headerOf(signature)
  if (header === undefined) return 'invalid'
  const key = await find(header, { ...signature, payload: '' })
  if (key === undefined) return 'unknown-key'
  for (const { text, isComplete } of payloads) {
    if (await fits({ ...signature, payload: base64url.encode(text) }, key)) {
      return { kid: header.kid, alg: header.alg, isComplete }
    }
  }
  return 'invalid'
}

function headerOf(
  signature: Signature,
): (JWSHeaderParameters & { readonly kid: string; readonly alg: string }) | undefined {
  try {
    const { kid, alg, ...header } = decodeProtectedHeader(signature) as JWSHeaderParameters
    return typeof kid === 'string' && typeof alg === 'string' ? { ...header, kid, alg } : undefined
  } catch {
    return undefined
  }
}

async function fits(jws: FlattenedJWSInput, key: PublicKey): Promise<boolean> {
  try {
    await flattenedVerify(jws, key, { algorithms: [...signatureAlgorithms] })
    return true
  } catch {
    // Whatever is wrong with it, a key of another kind included, it is no proof.
    return false
  }
}

interface Signature {
  readonly protected: string
  readonly signature: string
}

interface Payload {
  readonly text: string
  /** False when it leaves out some of what the card says. */
  readonly isComplete: boolean
}

/** The signatures of a card, and what each of them may be over. */
function readSigned(
  json: unknown,
  allowPartial: boolean,
): { readonly signatures: readonly Signature[]; readonly payloads: readonly Payload[] } {
  if (!isPlainObject(json) || json.signatures === undefined) return { signatures: [], payloads: [] }
  const { signatures = [] } = parseCard(a2aCardSchema(), withoutNulls(json))
  // What was given, not what the schema has made of it: all of it must have been signed.
  const { signatures: _, ...card } = json
  const complete = completeTexts(card)
  const partial = allowPartial ? sdkTexts(card).filter((text) => !complete.includes(text)) : []
  return {
    signatures: signatures.map((entry) => ({ protected: entry.protected, signature: entry.signature })),
    payloads: [
      ...complete.map((text) => ({ text, isComplete: true })),
      ...partial.map((text) => ({ text, isComplete: false })),
    ],
  }
}

// A2A signs a card without what says nothing, so a copy that spells it out is still the same card; the SDK also leaves
// out what is required and says nothing.
function completeTexts(card: AgentCardJson): string[] {
  const own = AgentCard.fromJSON(card)
  const written = [agentCardToJson(own), AgentCard.toJSON(own) as AgentCardJson]
  const texts = [card, ...written.filter((json) => isCovered(card, json))].map((json) => canonicalCard(json))
  return [...new Set(texts)]
}

/** Whether everything that the one value says stands in the other too. */
function isCovered(one: unknown, other: unknown): boolean {
  if (one === null || one === '' || one === false) return true
  if (typeof one !== 'object') return one === other
  const names = Object.keys(one)
  if (names.length === 0) return true
  if (typeof other !== 'object' || other === null) return false
  return names.every((name) => isCovered(one[name as keyof typeof one], other[name as keyof typeof other]))
}

// What the SDK signs depends on whether it is given JSON or its own form of a card.
function sdkTexts(card: AgentCardJson): string[] {
  const own = AgentCard.fromJSON(card)
  return [canonicalizeAgentCard(card as unknown as AgentCard), canonicalizeAgentCard(own)]
}
