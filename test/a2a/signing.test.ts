import { createHash, createPublicKey, generateKeyPairSync, verify, type JsonWebKey } from 'node:crypto'
import { verifyAgentCard } from '@cool-ai/beach-protocol/agent-card'
import { describe, expect, test } from 'vitest'
import { says, send, startAgent, stockClient, type AgentOptions } from './agent.ts'
import { PushReceiver } from './push-receiver.ts'

type Signer = NonNullable<Exclude<AgentOptions['a2a'], false | undefined>['signer']>
interface KeySet {
  readonly keys: (JsonWebKey & { readonly kty: string; readonly kid: string })[]
}

const signers: Readonly<Record<string, () => Promise<Signer>>> = {
  'a key of Node’s': async () => ({
    key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    kid: '2026-01',
  }),
  'a JWK': async () => {
    const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
    return { key: { ...jwk, kty: 'OKP', kid: '2026-02', alg: 'EdDSA' } }
  },
  'a key of the web’s': async () => {
    const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048 }
    const publicExponent = new Uint8Array([1, 0, 1])
    const pair = await crypto.subtle.generateKey({ ...algorithm, publicExponent }, true, ['sign', 'verify'])
    return { key: pair.privateKey, kid: '2026-03', alg: 'RS256' }
  },
}

/** What a token says, if one of the keys has signed it. */
function claimsIn(token: string, { keys }: KeySet): Record<string, unknown> {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const { kid, alg } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string; alg: string }
  const key = keys.find((one) => one.kid === kid)
  if (key === undefined) throw new Error('No key of that name is published.')
  const hash = alg === 'EdDSA' ? null : 'sha256'
  const how = { key: createPublicKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const }
  const isSigned = verify(hash, Buffer.from(`${header}.${payload}`), how, Buffer.from(signature, 'base64url'))
  if (!isSigned) throw new Error('The signature does not fit.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
}

async function keysOf(url: string): Promise<KeySet> {
  const response = await fetch(`${url}/.well-known/jwks.json`)
  expect(response.headers.get('content-type')).toMatch(/json/)
  return (await response.json()) as KeySet
}

describe.each(Object.keys(signers))('an agent with %s', (name) => {
  test('signs its card, and publishes what that is checked with, and no more', async () => {
    const signer = await signers[name]?.()
    if (signer === undefined) throw new Error('There is no such signer.')
    const { url } = await startAgent({ protocols: { a2a: { signer } } })
    const jwks = await keysOf(url)
    expect(jwks.keys.flatMap((key) => Object.keys(key))).not.toEqual(expect.arrayContaining(['d']))
    const card: unknown = await (await fetch(`${url}/.well-known/agent-card.json`)).json()
    expect(await verifyAgentCard(card, { jwks })).toMatchObject({ isComplete: true })
    const changed = { ...(card as object), description: 'Says what it wants.' }
    await expect(verifyAgentCard(changed, { jwks })).rejects.toThrow(/does not fit/)
  })

  test('signs a push notification for receivers that want a bearer token and give none', async () => {
    const signer = await signers[name]?.()
    if (signer === undefined) throw new Error('There is no such signer.')
    const receiver = await PushReceiver.start()
    const { url } = await startAgent({ protocols: { a2a: { signer, fetch: (address, init) => fetch(address, init) } } })
    const client = await stockClient(url)
    const authentication = { scheme: 'Bearer', credentials: '' }
    const config = { tenant: '', id: '', taskId: '', url: receiver.url, token: '', authentication }
    const task = await send(client, says('hello'), { taskPushNotificationConfig: config })
    await receiver.count(1)
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received
    const token = headers.authorization?.replace(/^Bearer /, '') ?? ''
    const claims = claimsIn(token, await keysOf(url))
    expect(claims).toMatchObject({
      iss: url,
      aud: new URL(receiver.url).origin,
      taskId: task.id,
      jti: headers['webhook-id'],
      request_body_sha256: createHash('sha256').update(body).digest('hex'),
    })
    expect(Number(claims.exp) - Number(claims.iat)).toBe(300)
    expect(headers['x-beach-signature']).toBe(token)
  })
})

test.each([
  ['neither a token nor a scheme', {}, undefined],
  ['a token', { token: 'tok-123' }, undefined],
  ['credentials of its own', { authentication: { scheme: 'Bearer', credentials: 'theirs' } }, 'Bearer theirs'],
  ['another scheme', { authentication: { scheme: 'Basic', credentials: 'dTpw' } }, 'Basic dTpw'],
])('an agent with a key signs also where the config has %s', async (_, more, authorization) => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const receiver = await PushReceiver.start()
  const { url } = await startAgent({
    protocols: { a2a: { signer: { key, kid: '2026-04' }, fetch: (address, init) => fetch(address, init) } },
  })
  const config = { tenant: '', id: '', taskId: '', url: receiver.url, token: '', authentication: undefined, ...more }
  const task = await send(await stockClient(url), says('hello'), { taskPushNotificationConfig: config })
  await receiver.count(1)
  const [{ headers, body } = { headers: {}, body: '' }] = receiver.received
  expect(claimsIn(String(headers['x-beach-signature']), await keysOf(url))).toMatchObject({
    iss: url,
    aud: new URL(receiver.url).origin,
    taskId: task.id,
    jti: headers['webhook-id'],
    request_body_sha256: createHash('sha256').update(body).digest('hex'),
  })
  expect(headers.authorization).toBe(authorization)
})

test('an agent without a key publishes none, signs nothing and sends no empty credentials', async () => {
  const receiver = await PushReceiver.start()
  const { url } = await startAgent({ protocols: { a2a: { fetch: (address, init) => fetch(address, init) } } })
  expect((await fetch(`${url}/.well-known/jwks.json`)).status).toBe(404)
  const card: unknown = await (await fetch(`${url}/.well-known/agent-card.json`)).json()
  expect(card).not.toHaveProperty('signatures')
  const authentication = { scheme: 'Bearer', credentials: '' }
  const config = { tenant: '', id: '', taskId: '', url: receiver.url, token: '', authentication }
  await send(await stockClient(url), says('hello'), { taskPushNotificationConfig: config })
  await receiver.count(1)
  const { headers = {} } = receiver.received[0] ?? {}
  expect([headers.authorization, headers['x-beach-signature'], headers['webhook-signature']]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('a key without a name is refused when the agent starts', async () => {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  await expect(startAgent({ protocols: { a2a: { signer: { key } } } })).rejects.toThrow(/needs a kid/)
})
