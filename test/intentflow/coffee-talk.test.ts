import { SimulatedClock, systemRuntime, type Principal } from '@cool-ai/beach-core'
import { ifFound } from '@cool-ai/beach-core/runtime'
import { testAgent, type TestAgent } from '@cool-ai/beach-testing'
import { applyServerEvent, type ActiveFlows, type ServerEvent } from '@intentflow/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { coffeeOptions } from '../../examples/coffee/coffee-agent.ts'
import { memoryBooks } from '../../examples/coffee/domain/books.ts'
import { Shop } from '../../examples/coffee/domain/shop.ts'

const alex: Principal = { kind: 'user', id: 'alex', tenant: 'default' }
const secret = new Uint8Array(32).fill(7)

const minuteMs = 60_000

let agent: TestAgent
let clock: SimulatedClock
let shop: Shop

beforeEach(async () => {
  clock = new SimulatedClock(Date.UTC(2026, 0, 5, 9))
  shop = new Shop({ books: memoryBooks(), clock, minuteMs })
  const options = coffeeOptions({ shop, runtime: systemRuntime(), secret })
  agent = await testAgent({ ...options, data: { secret }, principal: alex, publicUrl: 'http://127.0.0.1:1' })
})

// Each conversation is also replayed: it must lead to the same log.
afterEach(async () => {
  const { same, turns } = (await ifFound(agent.replay())) ?? { same: true, turns: [] }
  await agent.stop()
  if (!same) throw new Error(`The replay is different: ${JSON.stringify(turns)}`)
})

/** A conversation with the barista, with all that comes of it. */
function talk() {
  const { sessionId } = agent.conversation
  const parts = () => agent.conversation.parts
  const flows = (): ActiveFlows =>
    parts().reduce((active, { data, partType }) => {
      if (!partType.startsWith('intentflow.')) return active
      return applyServerEvent(active, { type: 'CUSTOM', name: partType, value: data } as ServerEvent)
    }, {} as ActiveFlows)
  return {
    parts,
    flows,
    /** The open flow of an intent. */
    flow: (intentId: string) => Object.entries(flows()).find(([, one]) => one.intentId === intentId),
    /** Waits until there is such a thing. */
    until: <Value>(look: () => Value | undefined) =>
      vi.waitUntil(look, { timeout: 20_000 }) as Promise<NonNullable<Value>>,
    /** Says something and gives what is answered in words. */
    async say(text: string): Promise<string[]> {
      const turn = await agent.say(text)
      return turn.parts.flatMap(({ partType, text: words }) => (partType === 'response' ? (words ?? []) : []))
    },
    async send(instanceId: string, event: string, payload: object = {}) {
      const value = { v: 1, eventId: `e.${event}`, instanceId, event, payload }
      const said = { events: [{ type: 'CUSTOM', name: 'intentflow.event', value }] }
      return agent.beach.sessions.handle(sessionId, 'intentflow', said, alex)
    },
  }
}

test('an order by words alone: changed, paid for with another card, tracked until it is there', async () => {
  const barista = talk()
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
  const error = barista.parts().find(({ partType }) => partType === 'intentflow.error')
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
  await barista.until(() => barista.parts().find(({ partType }) => partType === 'intentflow.action'))
  expect(await barista.say('got it, thanks')).toEqual(['Enjoy!'])
  expect(barista.flow('order.track')).toBeUndefined()
})

test('what was not said is asked for, and the answer leads on', async () => {
  const barista = talk()
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
})

test('what the shop does not have, or the customer has not ordered, is said in words', async () => {
  const barista = talk()
  expect(await barista.say('order a pizza')).toEqual(['We have no “pizza”. Say “menu” to see what we have.'])
  expect(await barista.say('track my order')).toEqual(['You have no order under way.'])
  expect((await barista.say('tell me a joke'))[0]).toMatch(/^I did not get that/)
  expect(barista.flows()).toEqual({})
})

test('a card is added within an order, and pays for it', async () => {
  const barista = talk()
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
})

test('what cannot be done is said, with the reason', async () => {
  const barista = talk()
  await barista.say('order my usual')
  const [tip] = await barista.say('tip 999 dollars')
  expect(tip).toContain('tip: Too big')
  expect(await barista.say('add a unicorn')).toEqual(['We have no “unicorn”. Say “menu” to see what we have.'])
  expect(await barista.say('yes?')).not.toEqual(['All right, that is done.'])
  expect((await shop.account(alex)).orders).toEqual([])
})

test('what is no order is answered too, by what is open', async () => {
  const barista = talk()
  expect(await barista.say('hello')).toEqual(['Hello! What can I get you?'])
  expect(await barista.say('What can you do?')).toEqual([
    expect.stringMatching(/^I am the barista of Example Coffee\..*“order my usual”/),
  ])
  expect(barista.flows()).toEqual({})
  expect(await barista.say('Ein Kaffee bitte')).toEqual([expect.stringMatching(/^I only understand simple English\./)])
  await barista.say('a latte')
  expect(await barista.say('how much is it?')).toEqual([expect.stringMatching(/^Your order comes to \$\d/)])
  expect(await barista.say('undo')).toEqual([expect.stringMatching(/such as “remove the latte”/)])
  expect(await barista.say('is it sunny?')).toEqual([
    expect.stringMatching(/^I did not get that\. You can say: .*“place order”/),
  ])
  expect(await barista.say('thanks')).toEqual(['You are welcome.'])
  expect(barista.flow('order.place')?.[1].state).toBe('review')
})
