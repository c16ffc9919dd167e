import { describe, expect, test } from 'vitest'
import { newApiKey } from './api-key.ts'
import { makeCertificate } from './certificates.test-helper.ts'
import { mtlsAuth } from './mtls-auth.ts'
import { proxyCertificate } from './proxy-certificate.ts'

const travel = makeCertificate('travel')
const secret = newApiKey()
const options = { header: 'Client-Cert', proof: { header: 'X-Proxy-Proof', secret } }
const authenticate = mtlsAuth({
  fingerprints: [{ id: 'travel', tenant: 'acme', fingerprint: travel.fingerprint }],
  certificateOf: proxyCertificate(options),
})

function asking(headers: Record<string, string>): Request {
  return new Request('https://agent.example/', { headers })
}

describe('a proxy may give the certificate as', () => {
  const base64 = travel.der.toString('base64')
  test.each([
    ['RFC 9440 has it', `:${base64}:`],
    ['escaped PEM', encodeURIComponent(travel.cert)],
    ['base64', base64],
    ['a chain', `${base64},${makeCertificate('authority').der.toString('base64')}`],
    ['its fingerprint', travel.fingerprint],
  ])('%s', async (_name, value) => {
    const request = asking({ 'client-cert': value, 'x-proxy-proof': secret })
    expect(await authenticate(request)).toMatchObject({ principal: { id: 'travel' } })
  })
})

test('without the header there is no credential of this kind', async () => {
  expect(await authenticate(asking({ 'x-proxy-proof': secret }))).toBeUndefined()
  expect(await authenticate(asking({ 'client-cert': '', 'x-proxy-proof': secret }))).toBeUndefined()
})

test.each([undefined, '', 'wrong', `${secret}x`])(
  'who reaches the agent past the proxy cannot name a certificate: %s',
  async (proof) => {
    const headers = { 'client-cert': travel.fingerprint, ...(proof !== undefined && { 'x-proxy-proof': proof }) }
    await expect(authenticate(asking(headers))).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  },
)

test.each(['garbage', '%E0%A4%A', ':AAAA:', makeCertificate('travel').fingerprint])(
  'a header that is no known certificate is an error: %s',
  async (value) => {
    const request = asking({ 'client-cert': value, 'x-proxy-proof': secret })
    await expect(authenticate(request)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  },
)

test('a proxy needs a secret that cannot be guessed', () => {
  const proof = { header: 'X-Proxy-Proof', secret: 'proxy' }
  expect(() => proxyCertificate({ ...options, proof })).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIGURATION' }),
  )
})
