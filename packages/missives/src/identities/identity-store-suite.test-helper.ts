import { simulatedRuntime, type Principal } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { Identities } from './identities.ts'
import type { IdentityStore } from './identity-store.ts'

export const tenant = 'acme'
export const page = 'principal:anonymous~anon_1'
export const mail = 'email:ann@example.com'
export const phone = 'phone:+4930123456'
export const operator: Principal = { kind: 'operator', id: 'ops', tenant }
const ann: Principal = { kind: 'anonymous', id: 'anon_1', tenant }

export async function identityContext(store: IdentityStore) {
  const runtime = simulatedRuntime()
  const sent: { to: string; code: string }[] = []
  const identities = new Identities({ store, runtime, sendCode: async (to, code) => void sent.push({ to, code }) })
  /** Joins as a person would: the code that reached `to` is entered at `from`. */
  const joined = async (from: string, to: string) => {
    await identities.startJoin({ from, to, tenant })
    return identities.confirmJoin({ from, code: sent.at(-1)?.code ?? '', tenant })
  }
  return { identities, runtime, sent, joined }
}

/** The tests that identities pass in every store. */
export function testIdentityStore(open: () => Promise<IdentityStore>): void {
  test('an address stands alone until it is joined by a code, entered elsewhere than where it was sent', async () => {
    const { identities, sent } = await identityContext(await open())
    expect(await identities.of(mail, tenant)).toEqual({ addresses: [mail] })
    await identities.startJoin({ from: page, to: 'email:Ann@Example.com', tenant })
    expect(sent).toEqual([{ to: mail, code: expect.stringMatching(/^[a-z2-9]{8}$/) }])
    expect(await identities.of(mail, tenant)).toEqual({ addresses: [mail] })
    const code = sent[0]?.code ?? ''
    // Reading the mail does not prove who is at the page.
    await expect(identities.confirmJoin({ from: mail, code, tenant })).rejects.toMatchObject({ code: 'EXPIRED' })
    await expect(identities.confirmJoin({ from: page, code, tenant: 'other' })).rejects.toMatchObject({
      code: 'EXPIRED',
    })
    const written = `${code.slice(0, 4)}-${code.slice(4)} `.toUpperCase()
    const person = await identities.confirmJoin({ from: page, code: written, tenant })
    expect(person).toEqual({ personId: expect.stringMatching(/^person_/), addresses: [mail, page] })
    expect(await identities.of(mail, tenant)).toEqual(person)
    expect(await identities.of(mail, 'other')).toEqual({ addresses: [mail] })
    await expect(identities.confirmJoin({ from: page, code, tenant })).rejects.toMatchObject({ code: 'EXPIRED' })
  })

  test('a clock that was ahead neither keeps codes good nor keeps others from being sent', async () => {
    const { identities, runtime, sent } = await identityContext(await open())
    const start = () => identities.startJoin({ from: page, to: mail, tenant })
    runtime.clock.step(60 * 60 * 1_000)
    for (let count = 0; count < 5; count++) await start()
    await expect(start()).rejects.toMatchObject({ code: 'TOO_MANY' })
    runtime.clock.step(-60 * 60 * 1_000)
    const code = sent.at(-1)?.code ?? ''
    await expect(identities.confirmJoin({ from: page, code, tenant })).rejects.toMatchObject({ code: 'EXPIRED' })
    await start()
    expect(sent).toHaveLength(6)
  })

  test('joins are transitive, and a split takes one address out', async () => {
    const { identities, joined } = await identityContext(await open())
    await joined(page, mail)
    const { addresses, personId } = await joined(phone, page)
    expect(addresses).toEqual([mail, phone, page])
    expect((await identities.of(mail, tenant)).personId).toBe(personId)
    expect(await identities.split(phone, ann)).toBe(true)
    expect(await identities.of(phone, tenant)).toEqual({ addresses: [phone] })
    expect((await identities.of(page, tenant)).addresses).toEqual([mail, page])
    expect(await identities.split(mail, operator)).toBe(true)
    expect(await identities.of(page, tenant)).toEqual({ addresses: [page] })
    expect(await identities.split(mail, operator)).toBe(false)
  })

  test('a code is good for a quarter of an hour, for five tries, and until the next one is sent', async () => {
    const { identities, runtime, sent } = await identityContext(await open())
    const start = () => identities.startJoin({ from: page, to: mail, tenant })
    const confirm = (code: string) => identities.confirmJoin({ from: page, code, tenant })
    await start()
    await runtime.clock.advance(15 * 60 * 1_000)
    await expect(confirm(sent[0]?.code ?? '')).rejects.toMatchObject({ code: 'EXPIRED' })
    await start()
    for (const left of [4, 3, 2, 1]) {
      await expect(confirm('wrong')).rejects.toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringContaining(`${left} more`) as string,
      })
    }
    await expect(confirm('')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(confirm(sent[1]?.code ?? '')).rejects.toMatchObject({ code: 'EXPIRED' })
    await start()
    await start()
    await expect(confirm(sent[2]?.code ?? '')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await confirm(sent[3]?.code ?? '')
  })

  test('a person is not flooded with codes', async () => {
    const { identities, runtime, sent } = await identityContext(await open())
    for (let n = 0; n < 5; n++) await identities.startJoin({ from: `phone:+49301234${n}`, to: mail, tenant })
    const again = () => identities.startJoin({ from: page, to: mail, tenant })
    await expect(again()).rejects.toMatchObject({ code: 'TOO_MANY' })
    for (let n = 0; n < 10; n++) await identities.startJoin({ from: page, to: `phone:+49301234${n}`, tenant })
    await expect(identities.startJoin({ from: page, to: phone, tenant })).rejects.toMatchObject({ code: 'TOO_MANY' })
    expect(sent).toHaveLength(15)
    await runtime.clock.advance(60 * 60 * 1_000)
    await again()
  })

  test('only one of two who enter the same code at once gets in', async () => {
    const store = await open()
    const { identities, sent } = await identityContext(store)
    await identities.startJoin({ from: page, to: mail, tenant })
    const code = sent[0]?.code ?? ''
    const tries = await Promise.allSettled([1, 2, 3].map(() => identities.confirmJoin({ from: page, code, tenant })))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('only operators join without a code, and only operators and the person itself split', async () => {
    const { identities } = await identityContext(await open())
    await expect(identities.join([mail, phone], ann)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(identities.join([mail, 'email:ANN@example.com'], operator)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    })
    await identities.join([mail, phone], operator)
    await expect(identities.split(phone, ann)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await identities.split(phone, { ...operator, tenant: 'other' })).toBe(false)
    await expect(identities.startJoin({ from: mail, to: 'email:ANN@example.com', tenant })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    })
    const many = Array.from({ length: 51 }, (__, n) => `phone:+4930123${100 + n}`)
    await expect(identities.join(many, operator)).rejects.toMatchObject({ code: 'TOO_MANY' })
  })

  test('tells operators what was done, newest first, page by page', async () => {
    const { identities, joined } = await identityContext(await open())
    await joined(page, mail)
    await identities.startJoin({ from: phone, to: page, tenant })
    await expect(identities.confirmJoin({ from: phone, code: 'x', tenant })).rejects.toThrow('not the code')
    await identities.join([mail, phone], operator)
    await identities.split(phone, ann)
    const { items, next } = await identities.events({ limit: 3 }, operator)
    const rest = await identities.events({ limit: 10, after: next ?? '' }, operator)
    expect([...items, ...rest.items].map(({ kind, by, how }) => [kind, by, how])).toEqual([
      ['split', page, undefined],
      ['joined', 'principal:operator~ops', 'operator'],
      ['codeRefused', phone, 'code'],
      ['joinStarted', phone, 'code'],
      ['joined', page, 'code'],
      ['joinStarted', page, 'code'],
    ])
    expect(rest.next).toBeUndefined()
    await expect(identities.events({}, ann)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect((await identities.events({}, { ...operator, tenant: 'other' })).items).toEqual([])
  })

  test('forgets a person, also in what was done, and no other person', async () => {
    const { identities, joined } = await identityContext(await open())
    await joined(page, mail)
    await identities.join([mail, phone, 'email:bob@example.com'], operator)
    await identities.startJoin({ from: 'email:eve@example.com', to: mail, tenant })
    await identities.erase(tenant, [page, mail])
    expect((await identities.of('email:bob@example.com', tenant)).addresses).toEqual(['email:bob@example.com', phone])
    const { items } = await identities.events({}, operator)
    expect(JSON.stringify(items)).not.toMatch(/ann@example|anon_1/)
    expect(JSON.stringify(items)).toContain('eve@example.com')
    expect(items[0]?.kind).toBe('erased')
  })
}
