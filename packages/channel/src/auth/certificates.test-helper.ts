import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { fingerprintOf } from './fingerprint.ts'

/** A certificate that signs itself, and its key. */
export interface TestCertificate {
  readonly cert: string
  readonly key: string
  readonly der: Buffer
  readonly fingerprint: string
}

/** Makes a certificate for 127.0.0.1; Node can make keys and signatures, and the rest is a little DER. */
export function makeCertificate(name: string, from = '2020-01-01', until = '2049-01-01'): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))
  const who = sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from(name)))))
  const loopback = sequence(tlv(0x87, Buffer.from([127, 0, 0, 1])))
  const body = sequence(
    tlv(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ecdsaWithSha256,
    who,
    sequence(utcTime(from), utcTime(until)),
    who,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(sequence(oid('551d11'), tlv(0x04, loopback)))),
  )
  const der = sequence(body, ecdsaWithSha256, tlv(0x03, Buffer.from([0]), sign('sha256', body, privateKey)))
  const lines = der.toString('base64').replaceAll(/.{64}/g, '$&\n')
  const cert = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  return { cert, key, der, fingerprint: fingerprintOf(der) }
}

function tlv(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  const size = content.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

function sequence(...contents: Uint8Array[]): Buffer {
  return tlv(0x30, ...contents)
}

function integer(value: Uint8Array): Buffer {
  return tlv(0x02, value)
}

function oid(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, 'hex'))
}

function utcTime(day: string): Buffer {
  return tlv(0x17, Buffer.from(`${day.slice(2).replaceAll('-', '')}000000Z`))
}
