import { generateKeyPairSync } from 'node:crypto'
import { agentCardToJson, buildAgentCard, signAgentCard, type AgentCardInput } from '@cool-ai/beach-protocol/agent-card'
import { describe, expect, test } from 'vitest'
import { cardOf, cardServer, known, registryOf } from './card-server.test-helper.ts'
import type { PeerTrust } from './peer.ts'

const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const strangers = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const keys = { 'key-1': own.publicKey }

async function signed(card: AgentCardInput, key = own.privateKey, kid = 'key-1') {
  return agentCardToJson(await signAgentCard(buildAgentCard(card), { key, kid }))
}

async function trusting(trust: PeerTrust) {
  const server = await cardServer()
  const { registry } = registryOf([{ ...server.listing, id: 'travel', trust }])
  const publish = async (body: unknown) => {
    server.answer.body = body
    return registry.refresh('travel', { force: true })
  }
  return { server, registry, publish }
}

describe('where signatures are required', () => {
  test('a card that a trusted key has signed is believed', async () => {
    const { server, registry, publish } = await trusting({ keys })
    await publish(await signed(cardOf(server.origin)))
    expect(known(registry).signature).toEqual({ kid: 'key-1', alg: 'ES256', isComplete: true })
  })

  test('the keys may be a set', async () => {
    const jwk = { ...own.publicKey.export({ format: 'jwk' }), kid: 'key-1', alg: 'ES256' }
    const { server, registry, publish } = await trusting({ jwks: { keys: [jwk] } })
    await publish(await signed(cardOf(server.origin)))
    expect(known(registry).signature?.kid).toBe('key-1')
  })

  test('no other card is, and none replaces the last good one', async () => {
    const { server, registry, publish } = await trusting({ keys })
    const good = await signed(cardOf(server.origin))
    await publish(good)
    const changed = cardOf(server.origin, { name: 'Changed' })
    const wrong: [string, unknown][] = [
      ['unsigned', agentCardToJson(buildAgentCard(changed))],
      ['unsigned', changed],
      ['unknown-key', await signed(changed, strangers.privateKey, 'key-2')],
      ['invalid-signature', await signed(changed, strangers.privateKey)],
      ['invalid-signature', { ...good, name: 'Changed' }],
    ]
    for (const [reason, body] of wrong) {
      const { failure, peer } = await publish(body)
      expect(failure).toMatchObject({ code: 'CARD_REFUSED', details: { reason } })
      expect(peer?.card.name).toBe('Travel')
    }
    await publish(await signed(changed))
    expect(known(registry).card.name).toBe('Changed')
  })

  test('the first card must be right too', async () => {
    const { server, registry, publish } = await trusting({ keys })
    await publish(cardOf(server.origin))
    expect(registry.byId('travel')).toBeUndefined()
  })

  test('a card that was changed is noticed although it has kept its date', async () => {
    const { server, publish } = await trusting({ keys })
    const card = cardOf(server.origin, { generatedAt: '2026-04-20T09:50:00Z' })
    const good = await signed(card)
    await publish(good)
    const { failure } = await publish({ ...good, name: 'Changed' })
    expect(failure).toMatchObject({ details: { reason: 'invalid-signature' } })
  })

  test('a card with the same name twice is refused, whichever of the two was signed', async () => {
    const { server, publish } = await trusting({ keys })
    const text = JSON.stringify(await signed(cardOf(server.origin)))
    const { failure } = await publish(text.replace('"name":"Travel"', '"name":"Travel","name":"Travel"'))
    expect(failure).toMatchObject({ code: 'CARD_REFUSED', details: { reason: 'invalid' } })
  })
})

describe('where signatures are welcome', () => {
  test('a card without a trusted one is used, and said to have none', async () => {
    const { server, registry, publish } = await trusting({ keys, require: false })
    await publish(cardOf(server.origin))
    expect(known(registry).signature).toBeUndefined()
    await publish(await signed(cardOf(server.origin, { name: 'Other' }), strangers.privateKey, 'key-2'))
    expect(known(registry)).toMatchObject({ card: { name: 'Other' } })
    expect(known(registry).signature).toBeUndefined()
  })

  test('one that does not fit is refused', async () => {
    const { server, publish } = await trusting({ keys, require: false })
    const good = await signed(cardOf(server.origin))
    expect((await publish({ ...good, name: 'Changed' })).failure).toMatchObject({
      details: { reason: 'invalid-signature' },
    })
  })

  test('a card that had one is not replaced by one that has none', async () => {
    const { server, registry, publish } = await trusting({ keys, require: false })
    await publish(await signed(cardOf(server.origin)))
    const { failure } = await publish(cardOf(server.origin, { name: 'Changed' }))
    expect(failure).toMatchObject({ details: { reason: 'unsigned' } })
    expect(known(registry).card.name).toBe('Travel')
  })
})

test('a card in the list needs a signature too, where one is required', async () => {
  const card = cardOf('https://travel.example')
  const { registry } = registryOf([
    { id: 'one', card: await signed({ ...card, id: 'one' }), trust: { keys } },
    { id: 'two', card: { ...card, id: 'two' }, trust: { keys } },
  ])
  await registry.refresh()
  expect(registry.ids()).toEqual(['one'])
})

test('keys that cannot be had leave a card unread, without giving the caller a reason', async () => {
  const { server, publish } = await trusting({ jwks: async () => Promise.reject(new Error('internal detail')) })
  const { failure } = await publish(await signed(cardOf(server.origin)))
  expect(failure?.code).toBe('INTERNAL')
  expect(failure?.message).toBe("The card of 'travel' could not be checked. Try again later.")
})
