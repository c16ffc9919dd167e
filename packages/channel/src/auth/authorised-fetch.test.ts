import type { ServerResponse } from 'node:http'
import { SimulatedClock } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { newApiKey } from './api-key.ts'
import { authorisedFetch } from './authorised-fetch.ts'
import { makeCertificate } from './certificates.test-helper.ts'
import { fetchWithTls, type ClientTls } from './fetch.ts'
import { serveLoopback, type Received } from './loopback.test-helper.ts'
import type { PeerSecret, SecretRef } from './secret-source.ts'

const peer = 'travel'
const clock = new SimulatedClock()
const auth = { type: 'api-key', header: 'X-Beach-Key' }

/** A peer that accepts callers with this key. */
function lettingIn(key: () => string) {
  return ({ headers }: Received, response: ServerResponse) => {
    response.statusCode = headers['x-beach-key'] === key() ? 200 : 401
    response.end('answer')
  }
}

describe('an API key', () => {
  test('goes in the header that the card names, and is asked for once', async () => {
    const key = newApiKey()
    const server = await serveLoopback(lettingIn(() => key))
    const asked: SecretRef[] = []
    const secrets = async (ref: SecretRef) => {
      asked.push(ref)
      return key
    }
    const ask = authorisedFetch({ endpoint: `${server.url}/a2a`, auth }, { peer, secrets, clock, fetch })
    const one = await ask(`${server.url}/a2a`, { method: 'POST', body: 'hi', headers: { 'x-other': '1' } })
    expect(one.status).toBe(200)
    await ask(new URL('/a2a', server.url))
    expect(asked).toEqual([{ peer, type: 'api-key', origin: server.url, header: 'x-beach-key' }])
    expect(server.received[0]).toMatchObject({ body: 'hi', headers: { 'x-beach-key': key, 'x-other': '1' } })
  })

  test('that was refused is asked for again, once, and the request sent again with all it had', async () => {
    const keys = [newApiKey(), newApiKey()]
    let current = keys[1]
    const server = await serveLoopback(lettingIn(() => keys[1] ?? ''))
    const given = [...keys]
    const secrets = async () => given.shift() ?? current
    const ask = authorisedFetch({ endpoint: server.url, auth }, { peer, secrets, clock, fetch })
    const request = new Request(`${server.url}/x`, { method: 'PUT', body: 'hi', headers: { 'content-type': 'a/b' } })
    const response = await ask(request)
    expect(await response.text()).toBe('answer')
    expect(response.status).toBe(200)
    const sent = server.received.map(({ body, path, headers }) => [body, path, headers['content-type']])
    expect(sent).toEqual([
      ['hi', '/x', 'a/b'],
      ['hi', '/x', 'a/b'],
    ])
    current = newApiKey()
    expect((await ask(`${server.url}/x`)).status).toBe(200)
  })

  test('that was refused with a stream is asked for again with the next request', async () => {
    const keys = [newApiKey(), newApiKey()]
    const server = await serveLoopback(lettingIn(() => keys[1] ?? ''))
    const given = [...keys]
    const ask = authorisedFetch(
      { endpoint: server.url, auth },
      { peer, secrets: async () => given.shift(), clock, fetch },
    )
    const streamed = { method: 'POST', body: new Response('hi').body, duplex: 'half' as const }
    expect((await ask(server.url, streamed)).status).toBe(401)
    expect((await ask(server.url)).status).toBe(200)
    expect(server.received).toHaveLength(2)
  })

  test('that is refused twice gives the peer’s own 401, and no third try', async () => {
    const server = await serveLoopback(lettingIn(newApiKey))
    const secrets = async () => newApiKey()
    const ask = authorisedFetch({ endpoint: server.url, auth }, { peer, secrets, clock, fetch })
    const response = await ask(server.url)
    expect([response.status, await response.text()]).toEqual([401, 'answer'])
    expect(server.received).toHaveLength(2)
  })

  test('that is still the same is not sent again', async () => {
    const server = await serveLoopback(lettingIn(newApiKey))
    const key = newApiKey()
    const ask = authorisedFetch({ endpoint: server.url, auth }, { peer, secrets: async () => key, clock, fetch })
    const response = await ask(server.url)
    expect([response.status, await response.text()]).toEqual([401, 'answer'])
    expect(server.received).toHaveLength(1)
  })

  test('does not go to another origin, nor where a redirect leads', async () => {
    const key = newApiKey()
    const elsewhere = await serveLoopback((_received, response) => response.end())
    const server = await serveLoopback((_received, response) => {
      response.writeHead(307, { location: `${elsewhere.url}/steal` }).end()
    })
    const ask = authorisedFetch({ endpoint: server.url, auth }, { peer, secrets: async () => key, clock, fetch })
    expect((await ask(server.url, { redirect: 'follow' })).status).toBe(307)
    await expect(ask(`${elsewhere.url}/steal`)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(elsewhere.received).toHaveLength(0)
  })

  test('does not go where others can read it on the way', async () => {
    const never = async () => expect.unreachable()
    const options = { peer, secrets: async () => newApiKey(), clock, fetch: never }
    const endpoint = 'http://travel.internal:4747/a2a'
    await expect(authorisedFetch({ endpoint, auth }, options)(endpoint)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
    })
    const fetched = async () => new Response('answer')
    const allow = ['http://travel.internal:4747']
    const ask = authorisedFetch({ endpoint, auth }, { ...options, fetch: fetched, allow })
    expect(await (await ask(endpoint)).text()).toBe('answer')
  })

  test.each(['Host', 'content-length', 'Transfer-Encoding', 'x y', ''])(
    'does not go in a header that a card must not choose: %s',
    (header) => {
      const transport = { endpoint: 'https://evil.example/', auth: { type: 'api-key', header } }
      expect(() => authorisedFetch(transport, { peer, clock, fetch })).toThrow(
        expect.objectContaining({ code: 'INVALID_CONFIGURATION' }),
      )
    },
  )

  test.each<[string, PeerSecret | undefined]>([
    ['there is none', undefined],
    ['it has a line break', 'key\r\nx-admin: 1'],
    ['it is something else', { clientId: 'a', clientSecret: 'b' }],
  ])('is missed before anything is sent: %s', async (_name, secret) => {
    const fetched = async () => expect.unreachable()
    const options = { peer, secrets: async () => secret, clock, fetch: fetched }
    const ask = authorisedFetch({ endpoint: 'https://travel.example/', auth }, options)
    await expect(ask('https://travel.example/')).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
  })
})

test('a peer without auth gets nothing', async () => {
  const server = await serveLoopback((_received, response) => response.end())
  const secrets = async () => expect.unreachable()
  await authorisedFetch({ endpoint: server.url }, { peer, secrets, clock, fetch })(server.url)
  expect(server.received[0]?.headers).not.toHaveProperty('authorization')
})

test('what was aborted waits for no secret', async () => {
  const asked = Promise.withResolvers<void>()
  const secrets = () => {
    asked.resolve()
    return new Promise<never>(() => {})
  }
  const endpoint = 'https://travel.example/'
  const ask = authorisedFetch({ endpoint, auth }, { peer, secrets, clock, fetch })
  const end = new AbortController()
  const waiting = ask(endpoint, { signal: end.signal })
  await asked.promise
  end.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  await expect(ask(endpoint, { signal: end.signal })).rejects.toThrow('enough')
})

describe('a client certificate', () => {
  const transport = { endpoint: 'https://travel.example/', auth: { type: 'mtls', fingerprints: [] } }
  const { cert, key } = makeCertificate('baxter')

  test('is for a fetch of its own, which is made once', async () => {
    const made: ClientTls[] = []
    const fetching = fetchWithTls(
      async () => new Response('without'),
      (tls) => {
        made.push(tls)
        return async (_url, init) => new Response(init !== undefined && 'tls' in init ? 'twice' : 'by certificate')
      },
    )
    const options = { peer, secrets: async () => ({ cert, key }), clock, fetch: fetching }
    const ask = authorisedFetch(transport, options)
    expect(await (await ask(transport.endpoint)).text()).toBe('by certificate')
    await ask(transport.endpoint)
    expect(made).toEqual([{ cert, key }])
    expect(await (await fetching(transport.endpoint)).text()).toBe('without')
  })

  test.each<[string, PeerSecret]>([
    ['a key', newApiKey()],
    ['half of it', { cert }],
    ['no PEM', { cert: 'x', key: 'y' }],
  ])('cannot be %s', async (_name, secret) => {
    const options = { peer, secrets: async () => secret, clock, fetch }
    await expect(authorisedFetch(transport, options)(transport.endpoint)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
    })
  })
})
