import { timingSafeEqual } from 'node:crypto'
import { SimulatedClock } from '@cool-ai/beach-core'
import { describe, expect, test, vi } from 'vitest'
import { noteRequest } from '../http/request-source.ts'
import { makeCertificate } from './certificates.test-helper.ts'
import { fingerprintOf } from './fingerprint.ts'
import { mtlsAuth, type KnownCertificate } from './mtls-auth.ts'

vi.mock('node:crypto', { spy: true })

const clock = new SimulatedClock()
const travel = makeCertificate('travel')
const other = makeCertificate('other')

function known(fingerprint: string, more: Partial<KnownCertificate> = {}): KnownCertificate {
  return { id: 'travel', tenant: 'acme', fingerprint, ...more }
}

/** A request that has come by a connection with this certificate. */
function connected(der?: Uint8Array): Request {
  const request = new Request('https://agent.example/')
  noteRequest(request, { certificate: () => der })
  return request
}

test('a certificate makes its holder known', async () => {
  const authenticate = mtlsAuth({ fingerprints: [known(travel.fingerprint, { scopes: ['x'] })], clock })
  expect(await authenticate(connected(travel.der))).toEqual({
    principal: { kind: 'peer', id: 'travel', tenant: 'acme', scopes: ['x'] },
    credential: { type: 'mtls' },
  })
})

test('a connection without one, or a request of which nothing is known, has no credential of this kind', async () => {
  const authenticate = mtlsAuth({ fingerprints: [known(travel.fingerprint)], clock })
  expect(await authenticate(connected())).toBeUndefined()
  expect(await authenticate(new Request('https://agent.example/'))).toBeUndefined()
})

test('another certificate is an error, even of the same name', async () => {
  const authenticate = mtlsAuth({ fingerprints: [known(travel.fingerprint)], clock })
  for (const { der } of [other, makeCertificate('travel')]) {
    await expect(authenticate(connected(der))).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  }
  await expect(authenticate(connected(new Uint8Array(10)))).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
})

test('a certificate is good on the days that it says', async () => {
  const brief = makeCertificate('travel', '2026-02-01', '2026-03-01')
  const moving = new SimulatedClock(Date.UTC(2026, 0, 31))
  const authenticate = mtlsAuth({ fingerprints: [known(brief.fingerprint)], clock: moving })
  const day = 24 * 60 * 60_000
  await expect(authenticate(connected(brief.der))).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  await moving.advance(day)
  expect(await authenticate(connected(brief.der))).toBeDefined()
  await moving.advance(29 * day)
  await expect(authenticate(connected(brief.der))).rejects.toMatchObject({
    message: expect.stringContaining('expired') as string,
  })
})

test('every fingerprint is compared in constant time, also when the first is the right one', async () => {
  const fingerprints = [travel, other, makeCertificate('third')].map(({ fingerprint }) => known(fingerprint))
  const authenticate = mtlsAuth({ fingerprints, clock })
  vi.mocked(timingSafeEqual).mockClear()
  await authenticate(connected(travel.der))
  expect(timingSafeEqual).toHaveBeenCalledTimes(3)
})

describe('a fingerprint', () => {
  const plain = travel.fingerprint
  const colons = plain.toUpperCase().replaceAll(/(..)(?=.)/g, '$1:')

  test('is the same of PEM and DER', () => {
    expect(fingerprintOf(travel.cert)).toBe(plain)
    expect(fingerprintOf(travel.der)).toBe(plain)
  })

  test.each([plain, colons, `sha256:${plain}`, `SHA256:${colons}`, `sha256 Fingerprint=${colons}`, ` ${plain} `])(
    'may be written as tools write it: %s',
    async (fingerprint) => {
      expect(await mtlsAuth({ fingerprints: [known(fingerprint)], clock })(connected(travel.der))).toBeDefined()
      const byFingerprint = mtlsAuth({ fingerprints: [known(plain)], certificateOf: () => fingerprint })
      expect(await byFingerprint(connected())).toBeDefined()
    },
  )

  test.each(['', 'da39a3ee5e6b4b0d3255bfef95601890afd80709', `${plain}00`, 'travel'])(
    'of another kind is refused: %s',
    async (fingerprint) => {
      expect(() => mtlsAuth({ fingerprints: [known(fingerprint)] })).toThrow(
        expect.objectContaining({ code: 'INVALID_CONFIGURATION' }),
      )
      const authenticate = mtlsAuth({ fingerprints: [known(plain)], certificateOf: () => fingerprint })
      await expect(authenticate(connected())).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    },
  )
})
