import { createBeach, openData, type Beach } from '@cool-ai/beach'
import {
  SimulatedClock,
  systemRuntime,
  type Frame,
  type Originator,
  type Part,
  type Principal,
} from '@cool-ai/beach-core'
import { applyServerEvent, type ActiveFlows, type ServerEvent } from '@intentflow/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { coffeeAgent, coffeeOptions } from '../../examples/coffee/coffee-agent.ts'
import { memoryBooks } from '../../examples/coffee/domain/books.ts'
import { Shop } from '../../examples/coffee/domain/shop.ts'

const alex: Principal = { kind: 'user', id: 'alex', tenant: 'default' }
const page: Originator = { id: 'page', transport: 'sse', deliveryClass: 'streaming', principal: alex }

const minuteMs = 60_000

let beach: Beach
let clock: SimulatedClock
let shop: Shop

beforeEach(async () => {
  const data = await openData({ folder: '', store: 'memory' })
  clock = new SimulatedClock(Date.UTC(2026, 0, 5, 9))
  shop = new Shop({ books: memoryBooks(), clock, minuteMs })
  const options = coffeeOptions({ shop, runtime: systemRuntime(), secret: data.secret })
  beach = await createBeach({ ...options, ...data, publicUrl: 'http://127.0.0.1:1', agent: coffeeAgent.agent })
})

afterEach(() => beach.close())

/** A conversation with the barista, with all that comes of it. */
async function talk() {
  const session = await beach.sessions.open({ principal: alex })
  const end = new AbortController()
  const frames: Frame[] = []
  let changed = Promise.withResolvers<void>()
  const following = (async () => {
    for await (const frame of beach.sessions.follow(session, page, undefined, end.signal)) {
      frames.push(frame)
      changed.resolve()
      changed = Promise.withResolvers()
    }
  })()
  const parts = () => frames.flatMap((frame) => (frame.kind === 'part' ? [frame.part] : []))
  const until = async <Value>(look: () => Value | undefined): Promise<Value> => {
    for (;;) {
      const value = look()
      if (value !== undefined) return value
      await changed.promise
    }
  }
  const flows = (): ActiveFlows =>
    parts().reduce((active, { data, metadata }) => {
      if (!metadata.partType.startsWith('intentflow.')) return active
      return applyServerEvent(active, { type: 'CUSTOM', name: metadata.partType, value: data } as ServerEvent)
    }, {} as ActiveFlows)
  return {
    parts,
    until,
    flows,
    /** The open flow of an intent. */
    flow: (intentId: string) => Object.entries(flows()).find(([, one]) => one.intentId === intentId),
    /** Says something and gives what is answered in words. */
    async say(text: string): Promise<string[]> {
      const settled = () => frames.filter(({ kind }) => kind === 'settled').length
      const [before, from] = [settled(), parts().length]
      await beach.sessions.post(session, { parts: [{ text, metadata: { partType: 'message' } }], from: page }, alex)
      await until(() => (settled() > before ? true : undefined))
      return parts().slice(from).flatMap(said)
    },
    async send(instanceId: string, event: string, payload: object = {}) {
      const value = { v: 1, eventId: `e${frames.length}.${event}`, instanceId, event, payload }
      return beach.sessions.hear(
        session,
        'intentflow',
        { events: [{ type: 'CUSTOM', name: 'intentflow.event', value }] },
        alex,
      )
    },
    async close() {
      end.abort()
      await following
    },
  }
}

function said({ text, metadata }: Part): string[] {
  return metadata.partType === 'response' && text !== undefined ? [text] : []
}

test('an order by words alone: changed, paid for with another card, tracked until it is there', async () => {
  const barista = await talk()
  expect(await barista.say('Order my usual')).toEqual(['Here is your order. Have a look, then place it.'])
  const place = () => barista.flow('order.place')?.[1]
  expect(place()?.props).toMatchObject({
    items: [{ item: { id: 'item_001', price: 5 }, quantity: 1, selectedOptions: { size: 'large', milk: 'oat' } }],
    location: { id: 'loc_001', estimatedTime: 8 },
  })

  await barista.say('make it two')
  expect(place()?.props).toMatchObject({ items: [{ quantity: 2 }] })
  await barista.say('add a muffin please')
  expect(place()?.props).toMatchObject({ items: [{ quantity: 2 }, { item: { id: 'item_030' }, quantity: 1 }] })
  await barista.say('use my mastercard')
  expect(place()?.context).toMatchObject({ selectedPaymentId: 'pm_002' })

  expect(await barista.say('yes, place it')).toEqual(['Payment declined by processor.'])
  expect(place()).toMatchObject({ state: 'declined' })
  expect((await shop.account(alex)).orders).toEqual([])
  const error = barista.parts().find(({ metadata }) => metadata.partType === 'intentflow.error')
  expect(error?.data).toMatchObject({
    code: 'MUTATION_FAILED',
    details: { processorCode: 'insufficient_funds', appCode: 'CARD_DECLINED' },
    recovery: [{ action: 'modify', label: 'Use another card' }],
  })

  expect(await barista.say('pay with visa')).toEqual(['Using Visa ••4242.'])
  expect(place()).toMatchObject({ state: 'review' })
  expect(await barista.say('place order')).toEqual(['All right, that is done.'])
  expect(place()).toBeUndefined()
  const { orders } = await shop.account(alex)
  expect(orders).toHaveLength(1)
  expect(await shop.orderById(orders[0] ?? '')).toMatchObject({ paymentId: 'pm_001', total: 13.1 })
  const followUp = barista.parts().flatMap(({ data }) => (data as { followUp?: object } | undefined)?.followUp ?? [])
  expect(followUp).toMatchObject([
    { intentId: 'order.track', props: { orderId: expect.stringMatching(/^order_/) as unknown } },
  ])

  await barista.say('where is my order?')
  const track = () => barista.flow('order.track')?.[1]
  expect(track()).toMatchObject({ state: 'preparing', props: { status: 'received', estimatedTime: 8, total: 13.1 } })
  for (let left = 7; left >= 1; left--) {
    await clock.advance(minuteMs)
    await barista.until(() => (track()?.props.estimatedTime === left ? true : undefined))
    expect(track()?.props.status).toBe('preparing')
  }
  await clock.advance(minuteMs)
  await barista.until(() => (track()?.state === 'ready' ? true : undefined))
  expect(track()?.props).toMatchObject({ status: 'ready', estimatedTime: 0, progress: 100 })
  await barista.until(() => barista.parts().find(({ metadata }) => metadata.partType === 'intentflow.action'))
  expect(await barista.say('got it, thanks')).toEqual(['Enjoy!'])
  expect(barista.flow('order.track')).toBeUndefined()
  await barista.close()
})

test('what was not said is asked for, and the answer leads on', async () => {
  const barista = await talk()
  expect(await barista.say('I want to order')).toEqual([])
  const [question, asked] = barista.flow('intentflow.clarify') ?? []
  expect(asked?.props).toMatchObject({ question: 'What would you like?' })
  await barista.say('two flat whites and a croissant')
  await barista.until(() => barista.flow('order.place'))
  expect(barista.flow('order.place')?.[1].props).toMatchObject({
    items: [
      { item: { id: 'item_002' }, quantity: 2 },
      { item: { id: 'item_031' }, quantity: 1 },
    ],
  })
  expect(barista.flows()).not.toHaveProperty(String(question))
  expect(await barista.say('never mind')).toEqual(['Never mind then.'])
  expect(barista.flows()).toEqual({})
  await barista.close()
})

test('what the shop does not have, or the customer has not ordered, is said in words', async () => {
  const barista = await talk()
  expect(await barista.say('order a pizza')).toEqual(['We have no “pizza”. Say “menu” to see what we have.'])
  expect(await barista.say('track my order')).toEqual(['You have no order under way.'])
  expect((await barista.say('tell me a joke'))[0]).toMatch(/^I did not get that/)
  expect(barista.flows()).toEqual({})
  await barista.close()
})

test('a card is added within an order, and pays for it', async () => {
  const barista = await talk()
  await barista.say('order a latte at the harbour')
  await barista.say('use another card')
  const [card, child] = await barista.until(() => barista.flow('account.update_payment'))
  expect(child.parentInstanceId).toBe(barista.flow('order.place')?.[0])
  await barista.send(card, 'ADD_CARD', { brand: 'Visa', last4: '1111', expires: '12/39' })
  const added = await barista.until(() => {
    const [, order] = barista.flow('order.place') ?? []
    const { paymentMethods = [] } = (order?.props ?? {}) as { readonly paymentMethods?: readonly unknown[] }
    return order?.context.selectedPaymentId === 'pm_004' && paymentMethods.length === 4 ? order : undefined
  })
  expect(added.props).toMatchObject({ location: { id: 'loc_002' } })
  expect(barista.flow('account.update_payment')).toBeUndefined()
  await barista.close()
})

test('what cannot be done is said, with the reason', async () => {
  const barista = await talk()
  await barista.say('order my usual')
  const [tip] = await barista.say('tip 999 dollars')
  expect(tip).toContain('tip: Too big')
  expect(await barista.say('add a unicorn')).toEqual(['We have no “unicorn”. Say “menu” to see what we have.'])
  expect(await barista.say('yes?')).not.toEqual(['All right, that is done.'])
  expect((await shop.account(alex)).orders).toEqual([])
  await barista.close()
})
