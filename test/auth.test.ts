import { createBeach, defineActor, serve, type Serving } from '@cool-ai/beach'
import {
  apiKeyAuth,
  authorisedFetch,
  fetchWithTls,
  hashApiKey,
  mtlsAuth,
  newApiKey,
  type ClientTls,
  type PeerSecret,
} from '@cool-ai/beach-channel/auth'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { silentLogger, systemRuntime, type Authenticator, type Principal } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { afterEach, describe, expect, test } from 'vitest'
import { makeCertificate, type TestCertificate } from '../packages/channel/src/auth/certificates.test-helper.ts'

const runtime = systemRuntime({ logger: silentLogger })
const agent = makeCertificate('agent')
const baxter = makeCertificate('baxter')
const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** An agent by https that asks callers for certificates, and notes whom it has let in. */
async function start(...authenticators: readonly Authenticator[]) {
  const known: (Principal | undefined)[] = []
  const noting = authenticators.map((authenticate): Authenticator => async (request) => {
    const caller = await authenticate(request)
    known.push(caller?.principal)
    return caller
  })
  const beach = await createBeach({
    agent: { id: 'tester', name: 'Tester' },
    actors: { silent: defineActor(async () => {}) },
    data: { store: new MemoryStore({ runtime }), secret: new Uint8Array(32).fill(7) },
    runtime,
    access: { authenticators: noting },
  })
  const serving: Serving = await serve(beach, {
    port: 0,
    tls: { cert: agent.cert, key: agent.key, askForCertificate: true },
  })
  closing.push(() => serving.close())
  return { url: serving.url, known }
}

/** A fetch that trusts the agent's certificate, and may have one of its own. */
function connecting(url: string, tls: Partial<ClientTls> = {}) {
  const fetching = guardedFetch({ allow: [url], tls: { ...tls, ca: agent.cert } })
  closing.push(() => fetching.close())
  return fetching
}

const openSession = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }

function authorizeRequest({ fingerprint }: TestCertificate): Authenticator {
  return mtlsAuth({ fingerprints: [{ id: 'baxter', tenant: 'acme', fingerprint, scopes: ['talk'] }] })
}

describe('over a real connection, a client certificate', () => {
  test('makes its holder known', async () => {
    const { url, known } = await start(authorizeRequest(baxter))
    expect(url).toMatch(/^https:/)
    const response = await connecting(url, baxter)(`${url}/sessions`, openSession)
    expect(response.status).toBe(201)
    expect(known).toEqual([{ kind: 'peer', id: 'baxter', tenant: 'acme', scopes: ['talk'] }])
  })

  test('makes it known on every request of the connection', async () => {
    const { url, known } = await start(authorizeRequest(baxter))
    const fetching = connecting(url, baxter)
    for (let count = 0; count < 3; count++) await (await fetching(`${url}/sessions`, openSession)).text()
    expect(known.map((principal) => principal?.id)).toEqual(['baxter', 'baxter', 'baxter'])
  })

  test('that is not known admits no caller', async () => {
    const { url } = await start(authorizeRequest(baxter))
    const response = await connecting(url, makeCertificate('baxter'))(`${url}/sessions`, openSession)
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ error: { code: 'UNAUTHENTICATED' } })
  })

  test('is not needed by callers with another credential', async () => {
    const key = newApiKey()
    const byKey = apiKeyAuth({ header: 'X-Beach-Key', keys: [{ id: 'cli', tenant: 'acme', hash: hashApiKey(key) }] })
    const { url, known } = await start(authorizeRequest(baxter), byKey)
    const headers = { ...openSession.headers, 'x-beach-key': key }
    const response = await connecting(url)(`${url}/sessions`, { ...openSession, headers })
    expect(response.status).toBe(201)
    expect(known).toEqual([undefined, expect.objectContaining({ id: 'cli' })])
  })

  test('is what a peer that wants one gets from us', async () => {
    const { url, known } = await start(authorizeRequest(baxter))
    const secrets = async (): Promise<PeerSecret> => ({ cert: baxter.cert, key: baxter.key })
    const auth = { type: 'mtls', fingerprints: [baxter.fingerprint] }
    const fetch = fetchWithTls(connecting(url), (tls) => connecting(url, tls))
    const ask = authorisedFetch({ endpoint: url, auth }, { peer: 'tester', secrets, fetch })
    expect((await ask(`${url}/sessions`, openSession)).status).toBe(201)
    expect(known).toMatchObject([{ id: 'baxter' }])
  })
})
