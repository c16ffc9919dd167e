import { createBeach, serve } from '@cool-ai/beach'
import { mtlsAuth } from '@cool-ai/beach-channel/auth'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { expect, test } from 'vitest'
import { makeCertificate } from '../../packages/channel/src/auth/certificates.test-helper.ts'
import { connected, handshake, serverFrames } from '../support/raw-socket.ts'
import { echo, runtime } from './agent.ts'

const agent = makeCertificate('agent')
const ann = makeCertificate('ann')

test('by TLS a WebSocket knows its caller by certificate, unless a page of another site has asked for it', async (context) => {
  const principal = { kind: 'peer', id: 'ann', tenant: 'default' } as const
  const beach = await createBeach({
    agent: { id: 'tester', name: 'Tester' },
    actors: { echo },
    data: { store: new MemoryStore({ runtime }), secret: new Uint8Array(32).fill(7) },
    access: {
      authenticators: [mtlsAuth({ fingerprints: [{ id: 'ann', tenant: 'default', fingerprint: ann.fingerprint }] })],
    },
    runtime,
  })
  const tls = { cert: agent.cert, key: agent.key, askForCertificate: true }
  const serving = await serve(beach, { port: 0, tls })
  context.onTestFinished(() => serving.close())
  const ws = `${serving.url}/sessions/${await beach.sessions.open({ principal })}/ws`
  const hers = await connected(context, ws, {}, { cert: ann.cert, key: ann.key })
  const { value } = await serverFrames(hers).next()
  expect(JSON.parse(String(value?.payload))).toMatchObject({ type: 'ready' })
  const evil = { origin: 'https://evil.example' }
  const foreign = await handshake(context, ws, evil, { cert: ann.cert, key: ann.key })
  expect(foreign).toMatchObject({ status: 403 })
})
