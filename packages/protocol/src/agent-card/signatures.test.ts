import { AgentCard, canonicalizeAgentCard, generateAgentCardSignature, verifyAgentCardSignature } from '@a2a-js/sdk'
import { isBeachError } from '@cool-ai/beach-core'
import * as fc from 'fast-check'
import { base64url, exportJWK, flattenedVerify, FlattenedSign, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, test, vi } from 'vitest'
import { buildAgentCard } from './build-agent-card.ts'
import { agentCardToJson, type AgentCardJson } from './card-json.ts'
import { readAgentCard } from './read-agent-card.ts'
import { fullCard, smallCard } from './sample-card.test-helper.ts'
import { signAgentCard } from './sign-agent-card.ts'
import { verifyAgentCard, type VerifyAgentCardOptions } from './verify-agent-card.ts'

type Json = Record<string, unknown>

const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
const { publicKey: strangersKey } = await generateKeyPair('ES256')
const keys = { 'key-1': publicKey }
const card = buildAgentCard(fullCard)
const signed = agentCardToJson(await signAgentCard(card, { key: privateKey, kid: 'key-1' }))

async function refusal(json: unknown, options: VerifyAgentCardOptions = { keys }): Promise<unknown> {
  try {
    await verifyAgentCard(json, options)
  } catch (error) {
    if (isBeachError(error, 'UNAUTHENTICATED')) return error.details.reason
    throw error
  }
  return 'verified'
}

/** The code of the error that a card leads to; a card of another form is not even looked at. */
async function verdict(json: unknown): Promise<string> {
  try {
    await verifyAgentCard(json, { keys })
  } catch (error) {
    if (isBeachError(error)) return error.code
    throw error
  }
  return 'verified'
}

/** Sorts names and writes JSON, with code of this test only. */
function independently(value: unknown): string {
  const sorted = (_name: string, member: unknown): unknown =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : member
  return JSON.stringify(value, sorted)
}

function entryOf(json: AgentCardJson): { protected: string; signature: string } {
  const [entry] = json.signatures as { protected: string; signature: string }[]
  if (entry === undefined) throw new Error('The card is not signed.')
  return entry
}

function headerOf(json: AgentCardJson): unknown {
  return JSON.parse(new TextDecoder().decode(base64url.decode(entryOf(json).protected)))
}

/** Every place of a card, without its signatures. */
function placesOf(value: unknown, path: readonly string[] = []): string[][] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return inner
    .filter(([name]) => name !== 'signatures')
    .flatMap(([name, member]) => [[...path, name], ...placesOf(member, [...path, name])])
}

function changed(path: readonly string[], change: (parent: Json, name: string) => void): Json {
  const copy = structuredClone(signed) as Json
  const parent = path.slice(0, -1).reduce<Json>((at, step) => at[step] as Json, copy)
  change(parent, path.at(-1) ?? '')
  return copy
}

describe('a signed card', () => {
  test('is verified', async () => {
    expect(await verifyAgentCard(signed, { keys })).toEqual({ kid: 'key-1', alg: 'ES256', isComplete: true })
    expect(await verifyAgentCard(JSON.stringify(signed, undefined, 2), { keys })).toMatchObject({ kid: 'key-1' })
  })

  test('is verified by others who sort names and know JWS', async () => {
    const { signatures: _, ...unsigned } = signed
    const payload = base64url.encode(independently(unsigned))
    await expect(flattenedVerify({ ...entryOf(signed), payload }, publicKey)).resolves.toBeDefined()
    expect(headerOf(signed)).toEqual({ alg: 'ES256', typ: 'JOSE', kid: 'key-1' })
  })

  test('is the same card with a signature more', async () => {
    const { signatures: _, ...unsigned } = signed
    expect(unsigned).toEqual(agentCardToJson(card))
    expect(readAgentCard(signed)).toMatchObject({ id: 'harbour-agent' })
  })

  test('is still verified after the SDK has read and written it', async () => {
    expect(await refusal(AgentCard.toJSON(AgentCard.fromJSON(signed)))).toBe('verified')
    // Of an agent without A2A the SDK leaves out the list of interfaces, which is required and empty.
    const mcp = { protocol: 'mcp', version: 'stable', endpoint: 'https://small.example/mcp', tool: 'ask_small' }
    const other = buildAgentCard({ ...smallCard, transports: [mcp] })
    const json = agentCardToJson(await signAgentCard(other, { key: privateKey, kid: 'key-1' }))
    expect(AgentCard.toJSON(AgentCard.fromJSON(json))).not.toHaveProperty('supportedInterfaces')
    expect(await refusal(json)).toBe('verified')
    expect(await refusal(AgentCard.toJSON(AgentCard.fromJSON(json)))).toBe('verified')
  })

  test('is still verified when a publisher spells out default members', async () => {
    const spelled = {
      ...signed,
      iconUrl: null,
      securityRequirement: [],
      signatures: signed.signatures,
      documentation: '',
    }
    expect(await refusal(spelled)).toBe('verified')
  })
})

describe('a card that was tampered with', () => {
  const places = placesOf(signed)

  test('has many places, and most changes leave a card that can be read', async () => {
    const changes = places.map((path) => changed(path, (parent, name) => (parent[name] = `${String(parent[name])}x`)))
    const verdicts = await Promise.all(changes.map(verdict))
    expect(verdicts.filter((code) => code === 'UNAUTHENTICATED').length).toBeGreaterThan(70)
  })

  test('is refused wherever a value was changed', async () => {
    for (const path of places) {
      const json = changed(
        path,
        (parent, name) => (parent[name] = typeof parent[name] === 'string' ? `${parent[name]}x` : 'x'),
      )
      expect(await verdict(json), path.join('.')).toMatch(/^(?:UNAUTHENTICATED|BAD_REQUEST)$/)
    }
  })

  test('is refused wherever something was removed', async () => {
    for (const path of places) {
      const json = changed(path, (parent, name) => {
        if (Array.isArray(parent)) parent.splice(Number(name), 1)
        else delete parent[name]
      })
      expect(await verdict(json), path.join('.')).toMatch(/^(?:UNAUTHENTICATED|BAD_REQUEST)$/)
    }
  })

  test('is refused wherever something was added', async () => {
    for (const path of [['new'], ...places]) {
      const json = changed(path, (parent) => (Array.isArray(parent) ? parent.push('new') : (parent.new = 'x')))
      expect(await verdict(json), path.join('.')).toMatch(/^(?:UNAUTHENTICATED|BAD_REQUEST)$/)
    }
  })

  test('is refused when lists were put in another order', async () => {
    const { skills } = structuredClone(signed) as { skills: unknown[] }
    expect(await refusal({ ...signed, skills: skills.toReversed() })).toBe('invalid')
  })

  test('is refused when its security is taken away, changed, or given by its other name', async () => {
    const { securitySchemes, securityRequirements, ...rest } = signed
    expect(await refusal(rest)).toBe('invalid')
    expect(await refusal({ ...rest, securitySchemes })).toBe('invalid')
    expect(await refusal({ ...rest, securityRequirements })).toBe('invalid')
    expect(await refusal({ ...rest, security_schemes: securitySchemes, securityRequirements })).toBe('invalid')
    const open = agentCardToJson(await signAgentCard(buildAgentCard(smallCard), { key: privateKey, kid: 'key-1' }))
    expect(await refusal({ ...open, security_schemes: { a: { mtlsSecurityScheme: { description: 'x' } } } })).toBe(
      'invalid',
    )
  })

  test('is refused when a requirement without scopes is taken away', async () => {
    const transports = [
      { ...smallCard.transports[0], auth: { type: 'api-key', header: 'X-Key' } },
    ] as typeof smallCard.transports
    const locked = await signAgentCard(buildAgentCard({ ...smallCard, transports }), { key: privateKey, kid: 'key-1' })
    const { securityRequirements, ...json } = agentCardToJson(locked)
    expect(securityRequirements).toEqual([{ schemes: { 'api-key': {} } }])
    expect(await refusal({ ...json, securityRequirements })).toBe('verified')
    expect(await refusal(json)).toBe('invalid')
  })

  test('is refused when a name stands twice', async () => {
    const text = JSON.stringify(signed)
    const twice = text.replace('{"name":', '{"name":"Evil","name":')
    expect(JSON.parse(twice)).toEqual(signed)
    await expect(verifyAgentCard(twice, { keys })).rejects.toThrow('the same name twice')
  })

  test('is refused for any other signature', async () => {
    const { protected: header, signature } = entryOf(signed)
    await fc.assert(
      fc.asyncProperty(fc.nat(signature.length - 2), fc.constantFrom('A', 'B', '_'), async (at, letter) => {
        fc.pre(signature[at] !== letter)
        const other = `${signature.slice(0, at)}${letter}${signature.slice(at + 1)}`
        expect(await refusal({ ...signed, signatures: [{ protected: header, signature: other }] })).toBe('invalid')
      }),
    )
  })
})

describe('whom to believe', () => {
  test('is told by the keys that are given', async () => {
    expect(await refusal(signed, { keys: {} })).toBe('unknown-key')
    expect(await refusal(signed, { keys: { 'key-1': strangersKey } })).toBe('invalid')
    expect(await refusal(signed, { keys: { 'key-1': await exportJWK(publicKey) } })).toBe('verified')
    expect(await refusal(signed, { keys: { 'key-0': strangersKey, 'key-1': publicKey } })).toBe('verified')
    const odd = agentCardToJson(await signAgentCard(card, { key: privateKey, kid: 'constructor' }))
    expect(await refusal(odd)).toBe('unknown-key')
  })

  test('is told by a set of keys', async () => {
    const jwk = { ...(await exportJWK(publicKey)), kid: 'key-1', alg: 'ES256' }
    const other = { ...(await exportJWK(strangersKey)), kid: 'key-2' }
    expect(await refusal(signed, { jwks: { keys: [other, jwk] } })).toBe('verified')
    expect(await refusal(signed, { jwks: { keys: [other] } })).toBe('unknown-key')
    expect(await refusal(signed, { jwks: { keys: [{ ...other, kid: 'key-1' }] } })).toBe('invalid')
  })

  test('is told by a function, whose own failures are not the card’s', async () => {
    expect(await refusal(signed, { jwks: async ({ kid }) => (kid === 'key-1' ? publicKey : strangersKey) })).toBe(
      'verified',
    )
    const down = () => Promise.reject(new Error('The key server is down.'))
    await expect(verifyAgentCard(signed, { jwks: down })).rejects.toThrow('The key server is down.')
  })

  test('is undefined when there is no signature', async () => {
    expect(await refusal(agentCardToJson(card))).toBe('unsigned')
    expect(await refusal(fullCard)).toBe('unsigned')
    expect(await refusal({ ...signed, signatures: [] })).toBe('unsigned')
    expect(await refusal(undefined)).toBe('unsigned')
  })

  test('is the trusted one of several', async () => {
    const ed = await generateKeyPair('EdDSA')
    const both = agentCardToJson(
      await signAgentCard(await signAgentCard(card, { key: privateKey, kid: 'key-1' }), {
        key: ed.privateKey,
        kid: 'key-2',
        alg: 'EdDSA',
      }),
    )
    expect(both.signatures).toHaveLength(2)
    expect(await verifyAgentCard(both, { keys })).toMatchObject({ kid: 'key-1' })
    expect(await verifyAgentCard(both, { keys: { 'key-2': ed.publicKey } })).toMatchObject({
      kid: 'key-2',
      alg: 'EdDSA',
    })
  })

  test('is never who merely knows the public key', async () => {
    const { signatures: _, ...unsigned } = signed
    const secret = new TextEncoder().encode(JSON.stringify(await exportJWK(publicKey)))
    const forged = await new FlattenedSign(new TextEncoder().encode(independently(unsigned)))
      .setProtectedHeader({ alg: 'HS256', kid: 'key-1', typ: 'JOSE' })
      .sign(secret)
    expect(
      await refusal(
        { ...unsigned, signatures: [forged] },
        { keys: { 'key-1': { kty: 'oct', k: base64url.encode(secret) } } },
      ),
    ).toBe('invalid')
  })

  test.each([
    ['no kid', { alg: 'ES256', typ: 'JOSE' }],
    ['no algorithm', { kid: 'key-1' }],
    ['the algorithm none', { alg: 'none', kid: 'key-1' }],
  ])('is unknown when the header has %s', async (_name, header) => {
    const { signature } = entryOf(signed)
    const entry = { protected: base64url.encode(JSON.stringify(header)), signature }
    expect(await refusal({ ...signed, signatures: [entry] })).toBe('invalid')
  })

  test('is undefined when the header is no header', async () => {
    const entry = { ...entryOf(signed), protected: '%%%' }
    expect(await refusal({ ...signed, signatures: [entry] })).toBe('invalid')
    const [, payload = '', signature = ''] = (
      await new SignJWT({}).setProtectedHeader({ alg: 'ES256', kid: 'key-1' }).sign(privateKey)
    ).split('.')
    expect(await refusal({ ...signed, signatures: [{ protected: payload, signature }] })).toBe('invalid')
  })
})

describe('signing', () => {
  test('takes name and algorithm from a JWK', async () => {
    const ed = await generateKeyPair('EdDSA', { extractable: true })
    const key = { ...(await exportJWK(ed.privateKey)), kid: '2026-04', alg: 'EdDSA' }
    const jku = 'https://harbour.example/jwks.json'
    const json = agentCardToJson(await signAgentCard(card, { key, jku }))
    expect(headerOf(json)).toEqual({ alg: 'EdDSA', typ: 'JOSE', kid: '2026-04', jku })
    expect(await refusal(json, { keys: { '2026-04': ed.publicKey } })).toBe('verified')
  })

  test('says what is missing or does not fit', async () => {
    await expect(signAgentCard(card, { key: privateKey })).rejects.toThrow('needs a kid')
    const secret = { kty: 'oct', k: base64url.encode('a secret that everybody who verifies has to know'), alg: 'HS256' }
    await expect(signAgentCard(card, { key: secret, kid: 'a' })).rejects.toThrow(
      'cannot be signed by HS256: use one of',
    )
    await expect(signAgentCard(card, { key: privateKey, kid: 'a', alg: 'RS256' })).rejects.toThrow(
      'the alg that fits it',
    )
    await expect(signAgentCard(card, { key: publicKey, kid: 'a' })).rejects.toThrow('give a private key')
  })
})

describe('what the SDK signs', () => {
  const header = { alg: 'ES256', kid: 'key-1', typ: 'JOSE' }
  const sign = generateAgentCardSignature(privateKey, header)
  const withCapability = { ...smallCard, capabilities: [{ id: 'hello', description: 'Says hello.' }] }
  vi.spyOn(console, 'debug').mockImplementation(() => {})

  test('is verified where it covers the card', async () => {
    for (const input of [smallCard, withCapability]) {
      const json = agentCardToJson(await sign(buildAgentCard(input)))
      expect(await verifyAgentCard(json, { keys })).toMatchObject({ isComplete: true })
    }
  })

  test('and what we sign of such a card is verified by the SDK', async () => {
    const json = agentCardToJson(await signAgentCard(buildAgentCard(withCapability), { key: privateKey, kid: 'key-1' }))
    const verify = verifyAgentCardSignature(async () => publicKey)
    await expect(verify(AgentCard.fromJSON(json))).resolves.toBeUndefined()
    expect(canonicalizeAgentCard(AgentCard.fromJSON(json))).toBe(independently({ ...json, signatures: undefined }))
  })

  test('does not cover how to authenticate, so it is believed only where configured', async () => {
    const json = agentCardToJson(await sign(card))
    expect(await refusal(json)).toBe('invalid')
    expect(await verifyAgentCard(json, { keys, allowPartial: true })).toEqual({
      kid: 'key-1',
      alg: 'ES256',
      isComplete: false,
    })
    const { securitySchemes: _, ...stripped } = json
    expect(await refusal(stripped, { keys, allowPartial: true })).toBe('verified')
    expect(await refusal({ ...json, name: 'Evil' }, { keys, allowPartial: true })).toBe('invalid')
  })

  test('of JSON covers that, but not what is empty', async () => {
    const json = agentCardToJson(buildAgentCard({ ...fullCard, contact: { hours: [] } }))
    const { signatures } = await sign(json as unknown as AgentCard)
    expect(await refusal({ ...json, signatures })).toBe('invalid')
    expect(await verifyAgentCard({ ...json, signatures }, { keys, allowPartial: true })).toMatchObject({
      isComplete: false,
    })
    const { securitySchemes: _, ...stripped } = json
    expect(await refusal({ ...stripped, signatures }, { keys, allowPartial: true })).toBe('invalid')
  })
})
