import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { failureOf } from '../../../channel/src/guarded-fetch/guarded.test-helper.ts'
import { AgentRegistry } from './agent-registry.ts'
import { cardServer, known, registryOf } from './card-server.test-helper.ts'
import { loadAgents } from './load-agents.ts'

async function fileWith(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-'))
  onTestFinished(async () => rm(folder, { recursive: true }))
  const path = join(folder, 'agents.json')
  await writeFile(path, text)
  return path
}

describe('an agents.json', () => {
  test('lists the peers of a registry, by a path, a file URL or as it was parsed', async () => {
    const server = await cardServer()
    const value = { $schema: './agents.schema.json', peers: [server.listing] }
    const path = await fileWith(JSON.stringify(value))
    for (const source of [path, pathToFileURL(path), value]) {
      const loaded = await loadAgents(source)
      expect(loaded).toEqual({ peers: [server.listing] })
      const { registry } = registryOf(loaded.peers)
      await registry.refresh()
      expect(known(registry).id).toBe('travel')
    }
  })

  test('may hold all that a listing can have', async () => {
    const jwk = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid: 'key-1' }
    const peers = [
      {
        id: 'travel',
        cardUrl: 'https://travel.example/card.json',
        allowOrigins: ['https://api.travel.example'],
        trust: { jwks: { keys: [jwk] }, require: true },
        transports: [{ protocol: 'mcp', endpoint: 'stdio://travel', tool: 'ask_travel' }],
        credentials: 'travel-key',
      },
      { id: 'other', card: { token: 'a card may say what it likes' } },
      { url: 'https://organiser.example/', trust: { keys: { 'key-1': jwk } } },
    ]
    expect(await loadAgents({ peers })).toEqual({ peers })
  })

  test.each<[string, unknown, string]>([
    ['no peers', {}, 'peers is missing. Give { "peers": [{ "url": "https://…" }] }.'],
    ['a list', [], 'peers is missing.'],
    ['null', null, 'peers is missing.'],
    ['peers that are no list', { peers: {} }, 'peers is missing, or of the wrong kind. Give a list of peers,'],
    ['another field', { peers: [], agents: [] }, 'agents is not known in agents.json. Known is peers.'],
    ['no address', { peers: [{ id: 'a' }] }, 'peers.0 must have exactly one of url, cardUrl and card.'],
    ['two addresses', { peers: [{ url: 'https://a.example', card: {} }] }, 'peers.0 must have exactly one of'],
    [
      'no URL',
      { peers: [{ url: 'travel.example' }] },
      'peers.0.url is not an http(s) URL without credentials. Give the',
    ],
    ['another scheme', { peers: [{ cardUrl: 'file:///card.json' }] }, 'peers.0.cardUrl is not an http(s) URL'],
    [
      'credentials in a URL',
      { peers: [{ url: 'https://a:b@c.example' }] },
      'peers.0.url is not an http(s) URL without',
    ],
    ['a number', { peers: [{ url: 1 }] }, 'peers.0.url is missing, or of the wrong kind. Give the address of'],
    [
      'no origin',
      { peers: [{ url: 'https://a.example', allowOrigins: ['b.example'] }] },
      'peers.0.allowOrigins.0 is not an origin. Give a list of origins, such as',
    ],
    [
      'an unknown field',
      { peers: [{ url: 'https://a.example', color: 'red' }] },
      'peers.0 has color, which is no field of a peer. Known are id, url,',
    ],
    [
      'an id with spaces',
      { peers: [{ url: 'https://a.example', id: 'a b' }] },
      "peers.0.id is empty, too long, or has spaces. Give the peer's id",
    ],
    [
      'the same id twice',
      { peers: ['a', 'b'].map((host) => ({ url: `https://${host}.example`, id: 'x' })) },
      "Two peers have the id 'x'. Remove one.",
    ],
    [
      'no trust',
      { peers: [{ url: 'https://a.example', trust: {} }] },
      'peers.0.trust is not a trust policy. Give { keys:',
    ],
    [
      'trust that is no boolean',
      { peers: [{ url: 'https://a.example', trust: { keys: {}, require: 'no' } }] },
      'peers.0.trust is not a trust policy',
    ],
    [
      'a transport without a place',
      { peers: [{ url: 'https://a.example', transports: [{ protocol: 'mcp' }] }] },
      "peers.0.transports.0.endpoint is missing, or of the wrong kind. Give an address, such as 'https://…' or 'stdio://command'.",
    ],
    [
      'a key',
      { peers: [{ url: 'https://a.example', apiKey: 'canary' }] },
      'peers.0.apiKey looks like a secret. Leave it out, and name it by credentials.',
    ],
    [
      'a deep secret',
      { peers: [{ url: 'https://a.example', transports: [{ auth: { token: 'canary' } }] }] },
      'peers.0.transports.0.auth.token looks like a secret.',
    ],
    [
      'a private key',
      { peers: [{ url: 'https://a.example', trust: { keys: { a: { kty: 'EC', d: 'canary' } } } }] },
      'peers.0.trust.keys.a.d makes this a private key. Give the public one.',
    ],
  ])('that is wrong says where, and what to give: %s', async (_, value, message) => {
    const failure = await failureOf(loadAgents(value as object))
    expect(failure.code).toBe('INVALID_CONFIGURATION')
    expect(failure.message).toContain(message)
    expect(failure.message).not.toContain('canary')
  })

  test('that is not there, or not JSON, says so', async () => {
    expect((await failureOf(loadAgents('/nowhere/agents.json'))).message).toBe(
      '/nowhere/agents.json cannot be read. Check its path.',
    )
    const path = await fileWith('{ "peers": [')
    expect((await failureOf(loadAgents(path))).message).toBe(`${path} is not JSON. Check it with an editor.`)
  })
})

test('a registry says the same of what it is given', () => {
  expect(() => new AgentRegistry({ peers: [{ id: 'a' }] })).toThrow('peers.0 must have exactly one of')
})
