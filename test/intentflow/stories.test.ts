import type { RunAgentParameters } from '@ag-ui/client'
import { EventType, type BaseEvent } from '@ag-ui/core'
import type { ActiveFlows, FlowInstance } from '@intentflow/core'
import { openData } from '@cool-ai/beach'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { coffeeAgent } from '../../examples/coffee/coffee-agent.ts'
import { clients, startAgent, StockAgent, type Client } from '../agui/agent.ts'
import { FlowChecker } from './checker.ts'

beforeAll(() => void vi.stubEnv('COFFEE_MINUTE_MS', '20'))
afterAll(() => void vi.unstubAllEnvs())

const uuid = () => crypto.randomUUID()

/** The coffee shop, and a stock client in it whose every run is checked. */
class Guest {
  readonly checker = new FlowChecker()
  readonly agent: StockAgent

  constructor(url: string, client: Client) {
    this.agent = new StockAgent({ url, client, threadId: uuid() })
  }

  get flows(): ActiveFlows {
    return (this.agent.agent.state as { activeFlows?: ActiveFlows }).activeFlows ?? {}
  }

  /** The one open flow of an intent. */
  flow(intentId: string): FlowInstance & { readonly instanceId: string } {
    const [found, ...more] = Object.entries(this.flows).filter(([, flow]) => flow.intentId === intentId)
    if (found === undefined || more.length > 0) throw new Error(`There are ${more.length} flows ${intentId}.`)
    return { instanceId: found[0], ...found[1] }
  }

  async run(parameters: RunAgentParameters = {}): Promise<readonly BaseEvent[]> {
    const { events, rejected, error } = await this.agent.run(parameters)
    return this.#checked(events, rejected ?? error)
  }

  async say(text: string): Promise<readonly BaseEvent[]> {
    const { events, rejected, error } = await this.agent.say(text)
    return this.#checked(events, rejected ?? error)
  }

  /** Sends an event to the flow of an intent. */
  send(intentId: string, event: string, payload?: object, more: object = {}): Promise<readonly BaseEvent[]> {
    const { instanceId } = this.flow(intentId)
    const value = { v: 1, eventId: uuid(), instanceId, event, ...(payload && { payload }), ...more }
    return this.tell({ events: [{ type: 'CUSTOM', name: 'intentflow.event', value }] })
  }

  tell(said: object): Promise<readonly BaseEvent[]> {
    return this.run({ forwardedProps: { intentflow: { v: 1, ...said } } })
  }

  #checked(events: readonly BaseEvent[], problem: object | undefined): readonly BaseEvent[] {
    this.checker.run(events, this.agent.agent.state)
    const problems = [...(problem === undefined ? [] : [JSON.stringify(problem)]), ...this.checker.problems]
    if (problems.length > 0) throw new Error(problems.join('\n'))
    return events
  }
}

async function shop(client: Client): Promise<Guest> {
  const secret = new Uint8Array(32).fill(7)
  const { store } = await openData({ store: 'memory' })
  const made = await coffeeAgent.make({ secret, store } as never, { store: 'memory', folder: '' } as never)
  const { url } = await startAgent({ agent: coffeeAgent.agent, ...made, data: { secret } })
  return new Guest(url, client)
}

const named = (events: readonly BaseEvent[], name: string) =>
  events.flatMap((event) => {
    const { type, name: own, value } = event as BaseEvent & { name?: string; value?: Record<string, unknown> }
    return type === EventType.CUSTOM && own === `intentflow.${name}` && value !== undefined ? [value] : []
  })

const results = (events: readonly BaseEvent[]) =>
  (events.at(-1) as unknown as { result: { intentflow: { results: Record<string, unknown>[] } } }).result.intentflow
    .results

describe.each(clients)('with the stock client %s', (client) => {
  test('the usual is ordered, paid by another card than the one that is declined, and followed until it is ready', async () => {
    const guest = await shop(client)
    const asked = await guest.say('order my usual')
    expect(named(asked, 'render')).toMatchObject([{ intentId: 'order.place', seq: 0, displayMode: 'sheet' }])
    await guest.send('order.place', 'SELECT_PAYMENT', { paymentId: 'pm_002' })
    const declined = await guest.send('order.place', 'CONFIRM', {})
    expect(named(declined, 'transition').map(({ toState }) => toState)).toEqual(['placing', 'declined'])
    expect(named(declined, 'error')).toMatchObject([{ code: 'MUTATION_FAILED', recoverable: true }])
    await guest.send('order.place', 'SELECT_PAYMENT', { paymentId: 'pm_001' })
    const paid = await guest.send('order.place', 'CONFIRM', { tip: 1 })
    expect(named(paid, 'transition').at(-1)).toMatchObject({
      toState: 'confirmed',
      followUp: { intentId: 'order.track' },
    })
    expect(named(paid, 'dismiss')).toMatchObject([{ reason: 'completed' }])
    expect(guest.flows).toEqual({})
    const [{ context }] = named(paid, 'transition').slice(-1) as [{ context: { orderId: string } }]
    const { orderId } = context
    await guest.tell({ invoke: { eventId: uuid(), intentId: 'order.track', entities: { orderId } } })
    while (guest.flow('order.track').state !== 'ready') await guest.run()
    expect(guest.flow('order.track').props).toMatchObject({ status: 'ready', estimatedTime: 0 })
    await guest.send('order.track', 'COLLECT')
    expect(guest.flows).toEqual({})
  })

  test('in the middle of an order one can talk', async () => {
    const guest = await shop(client)
    await guest.say('order my usual')
    await guest.say('make it two')
    expect(guest.flow('order.place').props.items).toMatchObject([{ quantity: 2 }])
    await guest.say('never mind')
    expect(guest.flows).toEqual({})
  })

  test('a flow in a flow gives its result to the one around it', async () => {
    const guest = await shop(client)
    await guest.say('order my usual')
    await guest.send('order.place', 'CHANGE_PAYMENT')
    const { instanceId } = guest.flow('order.place')
    expect(guest.flow('account.update_payment').parentInstanceId).toBe(instanceId)
    // When the outer one goes, so does the inner one, and first.
    const value = { v: 1, eventId: uuid(), instanceId, reason: 'user_cancelled' }
    const gone = await guest.tell({ events: [{ type: 'CUSTOM', name: 'intentflow.dismiss_request', value }] })
    expect(
      named(gone, 'dismiss')
        .map(({ instanceId: id }) => id)
        .at(-1),
    ).toBe(instanceId)
    expect(named(gone, 'dismiss')).toHaveLength(2)
  })

  test('the menu is looked at, and several flows are open at once', async () => {
    const guest = await shop(client)
    await guest.say('show me the menu')
    await guest.say('order my usual')
    expect(
      Object.values(guest.flows)
        .map(({ intentId }) => intentId)
        .toSorted(),
    ).toEqual(['menu.browse', 'order.place'])
  })

  test('what cannot be is refused, and changes nothing', async () => {
    const guest = await shop(client)
    await guest.say('order my usual')
    const before = guest.flow('order.place')
    const server = await guest.send('order.place', 'SUCCESS', { orderId: 'x', confirmationNumber: 'x', total: 0 })
    expect(named(server, 'error')).toMatchObject([{ code: 'INVALID_TRANSITION' }])
    expect(results(server)).toMatchObject([{ status: 'rejected', code: 'INVALID_TRANSITION' }])
    const late = await guest.send('order.place', 'SET_TIP', { tip: 2 }, { expectedSeq: 7 })
    expect(results(late)).toMatchObject([{ status: 'rejected', code: 'STATE_CONFLICT' }])
    const wrong = await guest.send('order.place', 'SET_TIP', { tip: -2 })
    expect(results(wrong)).toMatchObject([{ status: 'rejected', code: 'INVALID_PAYLOAD' }])
    const never = await guest.send('order.place', 'MODIFY')
    expect(results(never)).toMatchObject([{ status: 'rejected', code: 'INVALID_TRANSITION' }])
    expect(guest.flow('order.place')).toEqual(before)
  })

  test('an event that comes twice counts once', async () => {
    const guest = await shop(client)
    await guest.say('order my usual')
    const { instanceId } = guest.flow('order.place')
    const value = { v: 1, eventId: uuid(), instanceId, event: 'SET_TIP', payload: { tip: 2 } }
    const event = { type: 'CUSTOM', name: 'intentflow.event', value }
    const both = await guest.tell({ events: [event, event] })
    expect(results(both)).toMatchObject([{ status: 'applied' }, { status: 'duplicate' }])
    const again = await guest.tell({ events: [event] })
    expect(results(again)).toMatchObject([{ status: 'duplicate', seq: 1 }])
    expect(guest.flow('order.place').seq).toBe(1)
  })
})

describe('the checker', () => {
  const render = (more: object) => ({
    type: 'CUSTOM',
    name: 'intentflow.render',
    value: {
      v: 1,
      eventId: 'e',
      at: 1,
      seq: 0,
      intentId: 'a.b',
      instanceId: 'i',
      props: {},
      displayMode: 'inline',
      ...more,
    },
  })
  const snapshot = { type: 'STATE_SNAPSHOT', snapshot: { activeFlows: {} } }

  test.each([
    ['an event without its patch', [snapshot, render({}), { type: 'RUN_FINISHED' }], /not followed by its STATE_DELTA/],
    ['an event before the snapshot', [render({})], /before the snapshot/],
    ['an event that is none', [snapshot, render({ displayMode: 'hologram' })], /is wrong/],
    ['two events with one id', [snapshot, render({}), render({ props: { a: 1 } })], /two events have the id/],
    ['a patch that is another', [snapshot, render({}), { type: 'STATE_DELTA', delta: [] }], /is another/],
    ['a state that is another', [{ type: 'STATE_SNAPSHOT', snapshot: { activeFlows: { i: {} } } }], /come to/],
  ])('notices %s', (_, events, problem) => {
    const checker = new FlowChecker()
    checker.run(events as unknown as BaseEvent[], { activeFlows: {} })
    expect(checker.problems.join('\n')).toMatch(problem)
  })
})
