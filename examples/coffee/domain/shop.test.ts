import type { Principal } from '@cool-ai/beach-core'
import { expect, test } from 'vitest'
import { memoryBooks } from './books.ts'
import { menuItem } from './menu.ts'
import { orderLine } from './order-line.ts'
import { Shop, type OrderDraft } from './shop.ts'

const alex: Principal = { kind: 'user', id: 'alex', tenant: 'default' }
const robin: Principal = { kind: 'user', id: 'robin', tenant: 'default' }

function newShop() {
  let now = Date.UTC(2026, 0, 5, 9)
  const clock = { now: () => now, timer: () => () => {} }
  const shop = new Shop({ books: memoryBooks(), clock, minuteMs: 60_000 })
  return { shop, later: (minutes: number) => void (now += minutes * 60_000) }
}

function draft(paymentId: string): OrderDraft {
  const item = menuItem('item_001')
  if (item === undefined) throw new Error('The menu has no cappuccino.')
  return { items: [orderLine(item, 2, { size: 'large', milk: 'oat' })], locationId: 'loc_001', paymentId, tip: 1 }
}

test('an order is charged and placed once for one key, and again for another', async () => {
  const { shop, later } = newShop()
  const first = await shop.place(alex, draft('pm_001'), 'key-1')
  later(1)
  expect(first).toMatchObject({ total: 11, confirmationNumber: expect.stringMatching(/^CF-\d{5}$/) as unknown })
  expect(await shop.place(alex, draft('pm_001'), 'key-1')).toEqual(first)
  expect((await shop.place(alex, draft('pm_001'), 'key-2')).id).not.toBe(first.id)
  expect((await shop.account(alex)).orders).toHaveLength(2)
})

test('a declined card leaves nothing behind, and another card is taken with the same key', async () => {
  const { shop } = newShop()
  const declined = { appCode: 'CARD_DECLINED', details: { processorCode: 'insufficient_funds' } }
  await expect(shop.place(alex, draft('pm_002'), 'key-1')).rejects.toMatchObject(declined)
  expect((await shop.account(alex)).orders).toEqual([])
  await expect(shop.place(alex, draft('pm_001'), 'key-1')).resolves.toMatchObject({ paymentId: 'pm_001' })
})

test('an order gets ready as time passes, and can be cancelled until it is', async () => {
  const { shop, later } = newShop()
  const order = await shop.place(alex, draft('pm_001'), 'key-1')
  expect(shop.preparation(order)).toMatchObject({ status: 'received', estimatedTime: 8, progress: 0 })
  later(1)
  expect(shop.preparation(order)).toMatchObject({ status: 'preparing', estimatedTime: 7 })
  await expect(shop.collect(alex, order.id)).rejects.toMatchObject({ appCode: 'NOT_READY' })
  later(7)
  expect(shop.preparation(order)).toEqual({ status: 'ready', estimatedTime: 0, progress: 100 })
  await expect(shop.cancel(alex, order.id)).rejects.toMatchObject({ appCode: 'TOO_LATE' })
  expect(shop.preparation(await shop.collect(alex, order.id)).status).toBe('collected')

  const other = await shop.place(alex, draft('pm_001'), 'key-2')
  expect(shop.preparation(await shop.cancel(alex, other.id)).status).toBe('cancelled')
  await expect(shop.order(alex)).rejects.toMatchObject({ appCode: 'NO_ACTIVE_ORDER' })
})

test('a customer does not find the orders of another', async () => {
  const { shop } = newShop()
  const { id, confirmationNumber } = await shop.place(alex, draft('pm_001'), 'key-1')
  await expect(shop.order(robin, id)).rejects.toMatchObject({ appCode: 'ORDER_NOT_FOUND' })
  await expect(shop.order(alex, confirmationNumber.toLowerCase())).resolves.toMatchObject({ id })
})

test('a card is added once for one key and is the default from then on; one that has expired is not', async () => {
  const { shop } = newShop()
  const card = { brand: 'Visa', last4: '4444', expires: '01/26' }
  const added = await shop.addCard(alex, card, 'key-1')
  expect(await shop.addCard(alex, card, 'key-1')).toEqual(added)
  const { paymentMethods, defaultPaymentId } = await shop.account(alex)
  expect([paymentMethods.length, defaultPaymentId]).toEqual([4, added.id])
  const old = { ...card, expires: '12/25' }
  await expect(shop.addCard(alex, old, 'key-2')).rejects.toMatchObject({ appCode: 'CARD_EXPIRED' })
})
