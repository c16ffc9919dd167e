import { describe, expect, test } from 'vitest'
import { mailAddress, plusAddress, tagOf } from './address.ts'
import { isTokenFor, isToken, mintToken, type TokenGrant } from './approval-token.ts'
import { dmarcPassIn } from './authenticity.ts'
import { keysFor, mailNameOf, messageIdOf, messageIds, ownMailId } from './mail-id.ts'

describe('an address', () => {
  test.each([
    ['Alice@Corp.Example', 'alice@corp.example'],
    [' a.b+c@x.example ', 'a.b+c@x.example'],
    ['alice@corp.example@evil.example', undefined],
    ['"alice@corp.example"@evil.example', undefined],
    ['alice@corp.example\r\nBcc: x@evil.example', undefined],
    ['a..b@x.example', undefined],
    ['alice@', undefined],
    [`${'a'.repeat(65)}@x.example`, undefined],
    ['älice@corp.example', undefined],
  ])('%j', (text, address) => {
    expect(mailAddress(text)).toBe(address)
  })

  test('with a plus is ours only if the rest is', () => {
    const ours = 'agent@corp.example'
    expect(tagOf(ours, plusAddress(ours, 't.abc'))).toBe('t.abc')
    expect(tagOf(ours, ours)).toBe('')
    expect(tagOf(ours, 'agent+x@evil.example')).toBeUndefined()
    expect(tagOf(ours, 'agentx@corp.example')).toBeUndefined()
    expect(tagOf(ours, 'agent+@corp.example')).toBeUndefined()
  })
})

describe('a Message-ID', () => {
  const [key] = keysFor(new Uint8Array(32), 'names')
  const id = { purpose: 'r', session: 'sess_ab.c:d/e', mail: mailNameOf(key, 'delivery 1') } as const

  test('of ours names the session, and is the same for each attempt', () => {
    expect(ownMailId(messageIdOf(id, 'corp.example'), 'corp.example')).toEqual(id)
    expect(mailNameOf(key, 'delivery 1')).toBe(id.mail)
    expect(mailNameOf(key, 'delivery 2')).not.toBe(id.mail)
  })

  test('of another host, or of another form, is not ours', () => {
    expect(ownMailId(messageIdOf(id, 'evil.example'), 'corp.example')).toBeUndefined()
    expect(ownMailId('<hello@corp.example>', 'corp.example')).toBeUndefined()
  })

  test('is found among others, whatever is between them', () => {
    expect(messageIds('<a@b> <c@d>\t<e@f><g@h> nonsense <i j@k>')).toEqual(['<a@b>', '<c@d>', '<e@f>', '<g@h>'])
    expect(messageIds('<'.repeat(100_000))).toEqual([])
    expect(messageIds('<a@b>'.repeat(5_000)).length).toBeLessThanOrEqual(100)
  })
})

describe('the token of an approval', () => {
  const keys = keysFor(new Uint8Array(32), 'tokens')
  const grant: TokenGrant = {
    tenant: 'acme',
    session: 'sess_1',
    approvalId: 'approval_1',
    approver: 'alice@corp.example',
    principal: { kind: 'user', id: 'alice', tenant: 'acme' },
    action: 'hash',
    expiresAt: 1_000,
  }
  const token = mintToken(keys[0], grant, 'a'.repeat(26))

  test('fits into an address, and is good for what it was made for', () => {
    expect(isToken(token)).toBe(true)
    expect(`+a.${token}`.length).toBeLessThanOrEqual(45)
    expect(isTokenFor(keys, token, grant)).toBe(true)
  })

  test.each([
    ['another tenant', { tenant: 'other' }],
    ['another session', { session: 'sess_2' }],
    ['another approval', { approvalId: 'approval_2' }],
    ['another approver', { approver: 'bob@corp.example' }],
    ['another principal', { principal: { kind: 'operator', id: 'alice', tenant: 'acme' } }],
    ['another action', { action: 'other' }],
    ['another expiry', { expiresAt: 2_000 }],
  ] as const)('is not good for %s', (_, change) => {
    expect(isTokenFor(keys, token, { ...grant, ...change })).toBe(false)
  })

  test('is not good with another key, nor changed', () => {
    expect(isTokenFor(keysFor(new Uint8Array(32), 'names'), token, grant)).toBe(false)
    expect(isTokenFor(keys, `b${token.slice(1)}`, grant)).toBe(false)
    expect(isTokenFor(keys, 'short', grant)).toBe(false)
  })

  test('is good while its secret is listed', () => {
    const other = new Uint8Array(32).fill(1)
    expect(isTokenFor(keysFor([other, new Uint8Array(32)], 'tokens'), token, grant)).toBe(true)
    expect(isTokenFor(keysFor([other], 'tokens'), token, grant)).toBe(false)
  })
})

describe('Authentication-Results', () => {
  const says = (header: string) => dmarcPassIn(header, 'mx.corp.example', 'people.example')

  test('count when the server in front says that the sender is proven', () => {
    expect(
      says('mx.corp.example; dkim=pass header.d=people.example; dmarc=pass (p=reject) header.from=people.example'),
    ).toBe(true)
    expect(says('MX.corp.example 1; dmarc = pass header.from = people.example')).toBe(true)
  })

  test.each([
    'mx.evil.example; dmarc=pass header.from=people.example',
    'mx.corp.example; dmarc=fail header.from=people.example',
    'mx.corp.example; dmarc=pass header.from=evil.example',
    'mx.corp.example; spf=pass (; dmarc=pass header.from=people.example) smtp.mailfrom=x',
    'mx.corp.example; spf=pass reason="; dmarc=pass header.from=people.example; "',
    'mx.corp.example; dmarc=fail header.from=people.example; dmarc=pass header.from=people.example',
    'mx.corp.example; none',
    '',
    `mx.corp.example${'('.repeat(50_000)}`,
  ])('do not count: %.80s', (header) => {
    expect(says(header)).toBe(false)
  })
})
