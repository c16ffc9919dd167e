import type { Originator } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { addressesOf, parseAddress } from './address.ts'

describe('an address', () => {
  test.each([
    ['email:Ann@Example.COM', 'email:ann@example.com'],
    ['email: ann+trips@example.com ', 'email:ann+trips@example.com'],
    ['email:ann@münchen.example', 'email:ann@xn--mnchen-3ya.example'],
    ['phone:+49 (30) 123-456', 'phone:+4930123456'],
    ['phone:004930123456', 'phone:+4930123456'],
    ['phone:4930123456', 'phone:+4930123456'],
    ['whatsapp:DE.1234', 'whatsapp:DE.1234'],
    ['principal:user~ann', 'principal:user~ann'],
    ['custom-kind:a:b', 'custom-kind:a:b'],
  ])('%s has one form', (written, plain) => expect(parseAddress(written)).toBe(plain))

  test.each([
    '',
    'ann@example.com',
    ':x',
    'email:',
    'email:ann',
    'email:ann@',
    'email:a@b@c',
    'email:"ann"@example.com',
    'email:ann@example.com>',
    'email:ann\n@example.com',
    'email:a b@example.com',
    'email:ann@exa mple.com',
    'phone:030123456',
    'phone:+49',
    'phone:call me',
    'Email:ann@example.com',
    'whatsapp:x\u0000y',
    'whatsapp:\uD800',
    `whatsapp:${'x'.repeat(501)}`,
  ])('%j is refused', (written) => {
    expect(() => parseAddress(written)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }))
  })
})

test('an originator is known by its principal, and by where its channel writes to it', () => {
  const of = (transport: string, address?: string, details?: Originator['details']) =>
    addressesOf({
      id: 'o',
      transport,
      deliveryClass: 'buffered',
      principal: { kind: 'user', id: 'ann@example.com', tenant: 'acme' },
      ...(address !== undefined && { address }),
      ...(details && { details }),
    }).slice(1)
  expect(of('sse')).toEqual([])
  expect(of('smtp', 'Ann@example.com')).toEqual(['email:ann@example.com'])
  expect(of('sms', '+4930123456')).toEqual(['phone:+4930123456'])
  expect(of('whatsapp', '4930123456', { userId: 'DE.77' })).toEqual(['phone:+4930123456', 'whatsapp:DE.77'])
  expect(of('whatsapp', 'DE.77', { userId: 'DE.77' })).toEqual(['whatsapp:DE.77'])
  expect(of('smtp', 'not an address')).toEqual([])
  expect(of('a2a', 'https://peer.example/push')).toEqual(['a2a:https://peer.example/push'])
  expect(
    addressesOf({
      id: 'o',
      transport: 'sse',
      deliveryClass: 'streaming',
      principal: { kind: 'user', id: 'a~b', tenant: 't' },
    }),
  ).toEqual(['principal:user~a~b'])
})
