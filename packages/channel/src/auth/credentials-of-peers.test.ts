import { expect, test } from 'vitest'
import { credentialsOfPeers } from './credentials-of-peers.ts'
import type { SecretRef } from './secret-source.ts'

const transport = { endpoint: 'https://travel.example/a2a', auth: { type: 'api-key', header: 'X-Beach-Key' } }
const request = { method: 'GET', url: transport.endpoint, headers: new Headers() }

test('the credentials for a transport are made once, and anew when its card says something else', async () => {
  const asked: SecretRef[] = []
  const secrets = async (ref: SecretRef) => {
    asked.push(ref)
    return 'key'
  }
  const credentials = credentialsOfPeers({ secrets, fetch })
  const peer = { id: 'travel' }
  const first = credentials(peer, transport)
  expect(credentials({ ...peer }, { ...transport, auth: { ...transport.auth } })).toBe(first)
  await first.forRequest(request)
  await credentials(peer, transport).forRequest(request)
  expect(asked).toHaveLength(1)
  const other = credentials(peer, { ...transport, auth: { type: 'api-key', header: 'X-Other' } })
  expect(other).not.toBe(first)
  await other.forRequest(request)
  expect(asked[1]).toMatchObject({ peer: 'travel', header: 'x-other' })
})

test('a peer’s secrets are under the name that its listing gives them, and go where that allows', async () => {
  const asked: SecretRef[] = []
  const secrets = async (ref: SecretRef) => {
    asked.push(ref)
    return 'key'
  }
  const credentials = credentialsOfPeers({ secrets, fetch })
  const endpoint = 'http://travel.internal/a2a'
  const internal = { ...transport, endpoint }
  await expect(credentials({ id: 'travel' }, internal).forRequest(request)).rejects.toMatchObject({
    code: 'INVALID_CONFIGURATION',
  })
  const peer = { id: 'travel', credentials: 'work', guard: { allow: ['http://travel.internal'] } }
  await credentials(peer, internal).forRequest(request)
  expect(asked).toMatchObject([{ peer: 'work', origin: 'http://travel.internal' }])
})

test('publishers who change their cards all the time do not fill the memory', () => {
  const credentials = credentialsOfPeers({ fetch })
  const first = credentials({ id: 'travel' }, transport)
  for (let count = 0; count < 500; count++) {
    credentials({ id: 'travel' }, { ...transport, endpoint: `https://travel.example/${count}` })
  }
  expect(credentials({ id: 'travel' }, transport)).not.toBe(first)
})
