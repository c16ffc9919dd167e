import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { createLogger } from '@cool-ai/beach-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorisedFetch } from './authorised-fetch.ts'
import { makeCertificate } from './certificates.test-helper.ts'
import { credentialsFor } from './credentials-for.ts'
import { environmentSecrets } from './environment-secrets.ts'
import type { Fetch } from './fetch.ts'
import { fileSecrets } from './file-secrets.ts'
import { peerSecrets } from './peer-secrets.ts'
import type { PeerSecret, SecretRef } from './secret-source.ts'

const ref: SecretRef = { peer: 'example-travel-agent', type: 'api-key', origin: 'https://travel.example' }
const prefix = 'BEACH_PEER_EXAMPLE_TRAVEL_AGENT'
const wrong = { code: 'INVALID_CONFIGURATION' }
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'beach-secrets-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function file(name: string, text: string, mode = 0o600): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  await chmod(path, mode)
  return path
}

describe('the environment', () => {
  test('has a key for each peer', async () => {
    const secrets = environmentSecrets({ [`${prefix}_API_KEY`]: 'key' })
    expect(await secrets(ref)).toBe('key')
    expect(await secrets({ ...ref, peer: 'other' })).toBeUndefined()
    expect(await secrets({ ...ref, type: 'oauth2' })).toBeUndefined()
    expect(await secrets({ ...ref, type: 'acme.hmac' })).toBeUndefined()
  })

  test('has credentials of a client, or a token', async () => {
    const client = { [`${prefix}_CLIENT_ID`]: 'id', [`${prefix}_CLIENT_SECRET`]: 'secret' }
    const asked = { ...ref, type: 'oauth2' }
    expect(await environmentSecrets(client)(asked)).toEqual({ clientId: 'id', clientSecret: 'secret' })
    const tokenEndpoint = 'https://login.example/token'
    const pinned = { ...client, [`${prefix}_TOKEN_ENDPOINT`]: tokenEndpoint }
    expect(await environmentSecrets(pinned)(asked)).toEqual({ clientId: 'id', clientSecret: 'secret', tokenEndpoint })
    expect(await environmentSecrets({ [`${prefix}_CLIENT_ID`]: 'id' })(asked)).toBeUndefined()
    expect(await environmentSecrets({ ...client, [`${prefix}_ACCESS_TOKEN`]: 'token' })(asked)).toBe('token')
  })

  test('names the files of a certificate, of which the key must be private', async () => {
    const { cert, key } = makeCertificate('baxter')
    const keyFile = await file('key.pem', key)
    const environment = {
      [`${prefix}_TLS_CERT_FILE`]: await file('cert.pem', cert, 0o644),
      [`${prefix}_TLS_KEY_FILE`]: keyFile,
      [`${prefix}_TLS_CA_FILE`]: await file('ca.pem', 'ca', 0o644),
    }
    const secrets = environmentSecrets(environment)
    expect(await secrets({ ...ref, type: 'mtls' })).toEqual({ cert, key, ca: 'ca' })
    await chmod(keyFile, 0o644)
    await expect(secrets({ ...ref, type: 'mtls' })).rejects.toMatchObject(wrong)
    const gone = { ...environment, [`${prefix}_TLS_CERT_FILE`]: join(folder, 'gone') }
    await chmod(keyFile, 0o600)
    await expect(environmentSecrets(gone)({ ...ref, type: 'mtls' })).rejects.toMatchObject(wrong)
  })

  test.each(['example_travel_agent', 'Example-Travel-Agent', 'example--travel-agent', 'example.travel.agent'])(
    'has nothing for a peer whose variable would be another’s: %s',
    async (peer) => {
      expect(await environmentSecrets({ [`${prefix}_API_KEY`]: 'key' })({ ...ref, peer })).toBeUndefined()
    },
  )

  test('may say where a secret belongs', async () => {
    const secrets = environmentSecrets({
      [`${prefix}_API_KEY`]: 'key',
      [`${prefix}_ORIGIN`]: 'https://travel.example/',
    })
    expect(await secrets(ref)).toBe('key')
    await expect(secrets({ ...ref, origin: 'https://evil.example' })).rejects.toMatchObject(wrong)
  })

  test('is the process’s own unless given', async () => {
    process.env[`${prefix}_API_KEY`] = 'from the process'
    try {
      expect(await peerSecrets()(ref)).toBe('from the process')
    } finally {
      delete process.env[`${prefix}_API_KEY`]
    }
  })
})

describe('a file', () => {
  const contents = JSON.stringify({
    'example-travel-agent': { origin: 'https://travel.example', 'api-key': 'key', 'acme.hmac': { secret: 'x' } },
  })

  test('has secrets by peer and type', async () => {
    const secrets = fileSecrets(await file('right.json', contents))
    expect(await secrets(ref)).toBe('key')
    expect(await secrets({ ...ref, type: 'acme.hmac' })).toEqual({ secret: 'x' })
    for (const other of [{ type: 'oauth2' }, { type: 'origin' }, { type: 'constructor' }, { peer: 'toString' }]) {
      expect(await secrets({ ...ref, ...other })).toBeUndefined()
    }
  })

  test('may say where a secret belongs', async () => {
    const secrets = fileSecrets(await file('origin.json', contents))
    await expect(secrets({ ...ref, origin: 'https://evil.example' })).rejects.toMatchObject(wrong)
  })

  test.each([0o644, 0o640, 0o604, 0o620, 0o601])('must be its owner’s alone: %o', async (mode) => {
    const path = await file('open.json', contents, mode)
    await expect(fileSecrets(path)(ref)).rejects.toMatchObject({
      ...wrong,
      message: expect.stringContaining(`chmod 600 ${path}`) as string,
    })
  })

  test.each([
    '{"example-travel-agent": {"api-key": "canary',
    '{"example-travel-agent": {"api-key": ["canary"]}}',
    '[]',
  ])('that is not right says so, and nothing of what it holds: %s', async (text) => {
    const error = await fileSecrets(await file('wrong.json', text))(ref).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject(wrong)
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain('canary')
  })

  test('that is not there is a mistake', async () => {
    await expect(fileSecrets(join(folder, 'gone.json'))(ref)).rejects.toMatchObject({
      ...wrong,
      message: expect.stringContaining('ENOENT') as string,
    })
  })

  test('comes after the environment, which names it', async () => {
    const path = await file('named.json', contents)
    const environment = { BEACH_PEER_SECRETS_FILE: path }
    expect(await peerSecrets(environment)(ref)).toBe('key')
    expect(await peerSecrets({ ...environment, [`${prefix}_API_KEY`]: 'mine' })(ref)).toBe('mine')
    expect(await peerSecrets({})(ref)).toBeUndefined()
  })
})

describe('a secret is never shown', () => {
  const canary = 'canary-0123456789abcdef'
  const endpoint = 'https://travel.example/'
  const encoded = [canary, Buffer.from(`id:${canary}`).toString('base64')]

  /** Everything that a program could print of a value. */
  function shown(value: unknown): string {
    const lines: string[] = []
    const logger = createLogger({ level: 'debug', write: (line) => lines.push(line) })
    logger.log('error', 'something', { value, error: value })
    const text = inspect(value, { depth: Infinity, showHidden: true })
    return [text, JSON.stringify(value), String(value), ...lines].join('\n')
  }

  /** A fetch like those that write the whole request into their errors. */
  const talkative: Fetch = async (url, init = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers))
    throw Object.assign(new Error(`${url} ${JSON.stringify(headers)} ${init.body as string}`), { config: init })
  }
  const nowhere: Fetch = async () => expect.unreachable()
  const echoing: Fetch = async (_url, init = {}) => Response.json({ error: init.body }, { status: 400 })

  const token = { type: 'oauth2', tokenEndpoint: 'https://travel.example/token' }
  const client = { clientId: 'id', clientSecret: canary }

  test.each<[string, { type: string; [field: string]: unknown }, PeerSecret, Fetch]>([
    ['in a key that a header cannot carry', { type: 'api-key', header: 'x' }, `${canary}\n.`, nowhere],
    ['in a token that a header cannot carry', token, `${canary}\n.`, nowhere],
    ['when the token endpoint cannot be reached', token, client, talkative],
    ['when it is sent in the body', token, { ...client, sentBy: 'body' }, talkative],
    ['when the token endpoint echoes it', token, { ...client, sentBy: 'body' }, echoing],
    ['when it goes nowhere', { ...token, tokenEndpoint: 'https://evil.example/' }, client, nowhere],
    ['when it has the wrong shape', token, { clientSecret: canary }, nowhere],
    ['when a certificate has the wrong shape', { type: 'mtls' }, { key: canary }, nowhere],
  ])('%s', async (_name, auth, secret, fetching) => {
    const options = { peer: 'travel', secrets: async () => secret, fetch: fetching }
    const error = await authorisedFetch({ endpoint, auth }, options)(endpoint).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    for (const text of encoded) expect(shown(error)).not.toContain(text)
  })

  test('in the credentials themselves', async () => {
    const secrets = async () => canary
    const auth = { type: 'api-key', header: 'x-key' }
    const credentials = credentialsFor({ endpoint, auth }, { peer: 'travel', secrets, fetch })
    const sent = await credentials.forRequest({ method: 'GET', url: endpoint, headers: new Headers() })
    const headers = new Headers()
    sent.applyTo(headers)
    expect(headers.get('x-key')).toBe(canary)
    expect(shown(sent) + shown(credentials)).not.toContain(canary)
  })
})
