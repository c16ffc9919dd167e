import { hkdfSync } from 'node:crypto'
import * as fc from 'fast-check'
import { CompactSign, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { simulatedRuntime } from '../simulated-runtime.ts'
import { secretKeys, secretsIn, Tokens, type Secret } from './index.ts'

const [old, current] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
const dayMs = 86_400_000

function make(secret: Secret = current, kind = 'beach-test') {
  const { clock } = simulatedRuntime()
  return { clock, tokens: new Tokens({ secret, clock, kind }) }
}

test('a token is a JWT of its kind, and gives its claims back', async () => {
  const { tokens } = make()
  const token = await tokens.sign({ sub: 'ann' })
  const [header = ''] = token.split('.')
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'HS256', typ: 'beach-test+jwt' })
  expect(await tokens.verify(token)).toEqual({ status: 'valid', claims: { sub: 'ann' } })
})

describe('of several secrets', () => {
  test('the first one signs, and each of them verifies', async () => {
    const before = await make(old).tokens.sign({ sub: 'ann' })
    const after = await make([current, old]).tokens.sign({ sub: 'ann' })
    const valid = { status: 'valid', claims: { sub: 'ann' } }
    expect(await make([current, old]).tokens.verify(before)).toEqual(valid)
    expect(await make(current).tokens.verify(after)).toEqual(valid)
    expect(await make(old).tokens.verify(after)).toEqual({ status: 'invalid' })
  })

  test('one that is not listed any more verifies nothing', async () => {
    const before = await make(old).tokens.sign({ sub: 'ann' })
    expect(await make(current).tokens.verify(before)).toEqual({ status: 'invalid' })
  })

  test('an expired token of the second one is expired, not invalid', async () => {
    const before = await make(old).tokens.sign({}, { expiresAt: 1 })
    expect(await make([current, old]).tokens.verify(before)).toEqual({ status: 'expired' })
  })

  test('bytes that are no text are written in hex', () => {
    expect(secretsIn('hex:00FF10 hex:xyz').map((each) => Buffer.from(each).toString('latin1'))).toEqual([
      '\0\xff\x10',
      'hex:xyz',
    ])
  })

  test('a text lists them, separated by commas or spaces', () => {
    expect(secretsIn(' new-one, old-one\nolder ').map((each) => Buffer.from(each).toString())).toEqual([
      'new-one',
      'old-one',
      'older',
    ])
  })

  test.each([[[]], [new Uint8Array(31)], [[current, new Uint8Array(31)]]])('%s is refused', (secret: Secret) => {
    expect(() => secretKeys(secret)).toThrow('A secret needs at least 32 bytes')
  })
})

describe('a token ends', () => {
  test('to the millisecond, also when it was verified before', async () => {
    const { clock, tokens } = make()
    const token = await tokens.sign({}, { expiresAt: clock.now() + 1_500 })
    await clock.advance(1_499)
    expect((await tokens.verify(token)).status).toBe('valid')
    await clock.advance(1)
    expect((await tokens.verify(token)).status).toBe('expired')
    await clock.advance(2_000)
    expect((await make(current).tokens.verify(token)).status).toBe('valid')
    expect((await tokens.verify(token)).status).toBe('expired')
  })

  test('when the clock was set back by more than it lives, if it says when it was issued', async () => {
    const { clock, tokens } = make()
    const now = clock.now()
    const ahead = { issuedAt: now + 3 * dayMs, expiresAt: now + 4 * dayMs }
    expect((await tokens.verify(await tokens.sign({}, ahead))).status).toBe('expired')
    expect((await tokens.verify(await tokens.sign({}, { expiresAt: now + 4 * dayMs }))).status).toBe('valid')
  })
})

describe('refused is', () => {
  const typ = 'beach-test+jwt'
  const payload = { sub: 'ann' }
  const key = new Uint8Array(hkdfSync('sha256', current, '', 'beach token beach-test', 32))
  /** As an attacker signs who has the derived key: only what is checked besides the signature stands in the way. */
  async function forged(header: { alg: string; typ?: string; crit?: string[] }, claims: object = payload) {
    const long = new Uint8Array(64).fill(3)
    return new SignJWT({ ...claims }).setProtectedHeader(header).sign(header.alg === 'HS256' ? key : long)
  }

  test('nothing of this by itself: the forger’s key is the right one', async () => {
    expect((await make().tokens.verify(await forged({ alg: 'HS256', typ }))).status).toBe('valid')
  })

  test.each<[string, () => Promise<string> | string]>([
    ['a token without a signature', () => new UnsecuredJWT(payload).encode()],
    ['one with the alg none of the right typ', () => `${part({ alg: 'none', typ })}.${part(payload)}.`],
    ['one of another algorithm', () => forged({ alg: 'HS512', typ })],
    ['one of another typ', () => forged({ alg: 'HS256', typ: 'beach-other+jwt' })],
    ['one without a typ', () => forged({ alg: 'HS256' })],
    ['one of another kind', () => make(current, 'beach-other').tokens.sign(payload)],
    [
      'one signed by the secret itself',
      () => new SignJWT(payload).setProtectedHeader({ alg: 'HS256', typ }).sign(current),
    ],
    ['one that is not yet valid', () => forged({ alg: 'HS256', typ }, { nbf: 9_999_999_999 })],
    ['one whose times are texts', () => forged({ alg: 'HS256', typ }, { exp: '9999999999' })],
    [
      'a signed text that is no object',
      async () => {
        return new CompactSign(Buffer.from('[]')).setProtectedHeader({ alg: 'HS256', typ }).sign(key)
      },
    ],
    ['a huge one', async () => forged({ alg: 'HS256', typ }, { sub: 'x'.repeat(4_000) })],
    ['an empty text', () => ''],
  ])('%s', async (_, token) => {
    expect(await make().tokens.verify(await token())).toEqual({ status: 'invalid' })
  })

  test('one with other claims than were signed', async () => {
    const { tokens } = make()
    const [header, , signature] = (await tokens.sign(payload)).split('.')
    expect(await tokens.verify(`${header}.${part({ sub: 'bob' })}.${signature}`)).toEqual({ status: 'invalid' })
  })

  test('one with each character of the signature changed, or padded', async () => {
    const { tokens } = make()
    const token = await tokens.sign(payload)
    for (let index = token.lastIndexOf('.') + 1; index < token.length; index++) {
      for (const other of 'ABCDQgw') {
        const changed = token.slice(0, index) + other + token.slice(index + 1)
        if (changed !== token) expect((await tokens.verify(changed)).status, changed).toBe('invalid')
      }
    }
    expect((await tokens.verify(`${token}=`)).status).toBe('invalid')
  })

  test('every text that was not signed, without an error', async () => {
    const { tokens } = make()
    const token = await tokens.sign(payload)
    const changed = fc
      .tuple(fc.nat(token.length - 1), fc.string({ minLength: 1, maxLength: 3 }))
      .map(([at, text]) => token.slice(0, at) + text + token.slice(at + 1))
    const dotted = fc
      .array(
        fc.oneof(
          fc.string(),
          fc.base64String(),
          fc.json().map((json) => part(json)),
        ),
      )
      .map((all) => all.join('.'))
    await fc.assert(
      fc.asyncProperty(fc.oneof(changed, dotted), async (text) => {
        if (text !== token) expect((await tokens.verify(text)).status).toBe('invalid')
      }),
      { numRuns: 500 },
    )
  })
})

function part(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
}
