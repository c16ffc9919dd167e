import { TurnStateRegistry } from '@cool-ai/beach-core'
import { readAgentCard, type AgentCardInput } from '@cool-ai/beach-protocol/agent-card'
import { describe, expect, test } from 'vitest'
import { cardOf, cardServer, known, registryOf } from './card-server.test-helper.ts'
import { isTerminalFor } from '../../../channel/src/peers/is-terminal-for.ts'
import type { PeerListing } from './peer.ts'

type Transport = AgentCardInput['transports'][number]

const a2a = (endpoint: string): Transport => ({ protocol: 'a2a', version: '1.0', endpoint })
const mcp = (endpoint: string, others: object = {}): Transport => ({
  protocol: 'mcp',
  version: 'stable',
  endpoint,
  tool: 'ask_travel',
  ...others,
})

async function peerWith(transports: (origin: string) => readonly Transport[], listing: PeerListing = {}) {
  const server = await cardServer()
  server.answer.body = cardOf(server.origin, { transports: transports(server.origin) })
  const allowOrigins = [server.origin, ...(listing.allowOrigins ?? [])]
  const { registry } = registryOf([{ ...server.listing, ...listing, allowOrigins }])
  await registry.refresh()
  return { peer: known(registry), server }
}

const endpoints = (list: readonly { endpoint: string }[]) => list.map(({ endpoint }) => endpoint)

describe('what a card says about where its agent is', () => {
  test('is used as far as it is about its own origin; the rest is refused with a reason', async () => {
    const { peer, server } = await peerWith((origin) => [
      a2a(`${origin}/a2a`),
      a2a('https://elsewhere.example/a2a'),
      a2a('http://169.254.169.254/a2a'),
      mcp(`${origin}/mcp`),
    ])
    expect(endpoints(peer.transports)).toEqual([`${server.origin}/a2a`, `${server.origin}/mcp`])
    expect(peer.refused.map(({ transport, reason }) => [transport.endpoint, reason])).toEqual([
      [
        'https://elsewhere.example/a2a',
        `https://elsewhere.example is not the origin of the card, ${server.origin}, nor on its domain by https. Add it to the peer's allowOrigins if you mean it.`,
      ],
      [
        'http://169.254.169.254/a2a',
        `http://169.254.169.254 is not the origin of the card, ${server.origin}, nor on its domain by https. Add it to the peer's allowOrigins if you mean it.`,
      ],
    ])
    expect(peer.guard.only).toEqual([server.origin])
  })

  test('is used elsewhere too, where the list allows it', async () => {
    const allowOrigins = ['https://elsewhere.example', 'https://socket.example']
    const { peer } = await peerWith(
      () => [
        a2a('https://elsewhere.example/a2a'),
        a2a('https://elsewhere.example:8443/a2a'),
        { protocol: 'websocket', version: '1', endpoint: 'wss://socket.example/x' },
        { protocol: 'websocket', version: '1', endpoint: 'ws://socket.example/x' },
      ],
      { allowOrigins },
    )
    expect(endpoints(peer.transports)).toEqual(['https://elsewhere.example/a2a', 'wss://socket.example/x'])
    expect(peer.refused).toHaveLength(2)
    expect(peer.guard.only).toEqual(expect.arrayContaining(allowOrigins))
  })

  test.each([
    mcp('stdio://rm -rf /', { transport: 'stdio' }),
    mcp('stdio://rm'),
    { protocol: 'smtp', version: '1', endpoint: 'mailto:someone@example.com' },
    { protocol: 'files', version: '1', endpoint: 'file:///etc/passwd' },
    { protocol: 'a2a', version: '1.0', binding: 'GRPC', endpoint: 'grpc.example:443' },
  ])('is never a command, nor anything that is not on the web: $endpoint', async (transport) => {
    const { peer } = await peerWith(() => [transport])
    expect(peer.transports).toEqual([])
    const entry = JSON.stringify({ protocol: transport.protocol, endpoint: transport.endpoint })
    expect(peer.refused[0]?.reason).toBe(
      `Its endpoint is not an address on the web. Add ${entry} to the peer's transports if you mean it.`,
    )
  })

  test('is not a command by its carrier either', async () => {
    const { peer } = await peerWith((origin) => [mcp(`${origin}/mcp`, { transport: 'stdio' })])
    expect(peer.transports).toEqual([])
  })

  test('cannot say that it comes from the local configuration', async () => {
    const { peer } = await peerWith((origin) => [{ ...a2a(`${origin}/a2a`), source: 'local' }])
    expect(peer.transports.map(({ source }) => source)).toEqual(['card'])
  })

  test('has no credentials in it', async () => {
    const { peer } = await peerWith((origin) => [a2a(origin.replace('//', '//name:word@'))])
    expect(peer.refused[0]?.reason).toContain('credentials')
  })
})

describe('what the local configuration says', () => {
  test('comes first, and may be a command or lie anywhere', async () => {
    const { peer, server } = await peerWith((origin) => [a2a(`${origin}/a2a`)], {
      transports: [
        { protocol: 'mcp', endpoint: 'stdio://travel-mcp --quiet', tool: 'ask_travel' },
        { protocol: 'a2a', endpoint: 'http://127.0.0.1:9/a2a' },
      ],
      credentials: 'travel-key',
    })
    expect(peer.transports).toMatchObject([
      {
        protocol: 'mcp',
        version: 'stable',
        endpoint: 'stdio://travel-mcp --quiet',
        source: 'local',
        requiredScopes: [],
      },
      { protocol: 'a2a', version: '1.0', binding: 'JSONRPC', endpoint: 'http://127.0.0.1:9/a2a', source: 'local' },
      { protocol: 'a2a', endpoint: `${server.origin}/a2a`, source: 'card' },
    ])
    expect(peer.guard).toEqual({
      allow: [server.origin, 'http://127.0.0.1:9'],
      only: [server.origin, 'http://127.0.0.1:9'],
    })
    expect(peer.credentials).toBe('travel-key')
  })

  test('lets a command of the card run by listing it; the card says the rest', async () => {
    const endpoint = 'stdio://travel-mcp --quiet'
    const { peer, server } = await peerWith((origin) => [a2a(`${origin}/a2a`), mcp(endpoint, { transport: 'stdio' })], {
      transports: [{ protocol: 'mcp', endpoint }],
    })
    expect(peer.transports).toEqual([
      expect.objectContaining({ protocol: 'mcp', endpoint, transport: 'stdio', tool: 'ask_travel', source: 'local' }),
      expect.objectContaining({ endpoint: `${server.origin}/a2a`, source: 'card' }),
    ])
    expect(peer.refused).toEqual([])
  })

  test('as a whole card may name any origin by https, but no command', async () => {
    const card = cardOf('https://one.example', {
      transports: [
        a2a('https://one.example/a2a'),
        a2a('https://two.example/a2a'),
        a2a('http://three.example/a2a'),
        mcp('stdio://travel'),
      ],
    })
    const { registry } = registryOf([{ card }])
    await registry.refresh()
    expect(endpoints(known(registry).transports)).toEqual(['https://one.example/a2a', 'https://two.example/a2a'])
    expect(known(registry).refused.map(({ reason }) => reason)).toEqual([
      "http://three.example is not https. Add it to the peer's allowOrigins if you mean it.",
      'Its endpoint is not an address on the web. Add {"protocol":"mcp","endpoint":"stdio://travel"} to the peer\'s transports if you mean it.',
    ])
  })
})

describe('whether a peer’s turn is over', () => {
  const card = (turnStates: string[]) =>
    readAgentCard(cardOf('https://travel.example', { extensions: { beach: { version: '1.0', turnStates } } }))

  test.each([
    ['complete', true],
    ['error', true],
    ['clarifying', true],
    ['passed', true],
    ['awaiting', false],
    ['delegated', false],
    ['suspended', false],
    ['archived', false],
    ['__proto__', false],
    ['', false],
  ])('%s: %s', (state, isOver) => {
    expect(isTerminalFor(card(['awaiting', 'complete', 'archived']), state)).toBe(isOver)
    expect(isTerminalFor(card([]), state)).toBe(isOver)
  })

  test('a state that this application has added counts for peers that say that they use it', () => {
    const registry = TurnStateRegistry.canonical()
    registry.register({ id: 'app.archived', isTerminal: true, emitsEnvelope: false, holdsActor: false })
    expect(isTerminalFor(card(['app.archived']), 'app.archived', registry)).toBe(true)
    expect(isTerminalFor(card([]), 'app.archived', registry)).toBe(false)
  })
})
