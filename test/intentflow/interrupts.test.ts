import { describe, expect, test } from 'vitest'
import { clients, StockAgent } from '../agui/agent.ts'
import { FlowChecker } from './checker.ts'
import { startShop } from './client-context.ts'

const uuid = () => crypto.randomUUID()

describe.each(clients)('an action that waits for an answer, with the stock client %s', (client) => {
  async function scanning() {
    const { url } = await startShop()
    const agent = new StockAgent({ url, client, threadId: uuid() })
    const checker = new FlowChecker()
    const flows = () => Object.entries((agent.agent.state as { activeFlows: Record<string, object> }).activeFlows)
    const checked = async (running: ReturnType<StockAgent['run']>) => {
      const ran = await running
      checker.run(ran.events, agent.agent.state)
      expect([ran.rejected, ran.error, checker.problems]).toEqual([undefined, undefined, []])
      return ran
    }
    const say = (said: object) => checked(agent.run({ forwardedProps: { intentflow: { v: 1, ...said } } }))
    await say({ invoke: { eventId: uuid(), intentId: 'order.place', entities: {} } })
    const [instanceId = ''] = flows()[0] ?? []
    const value = { v: 1, eventId: uuid(), instanceId, event: 'SCAN' }
    const asked = await say({ events: [{ type: 'CUSTOM', name: 'intentflow.event', value }] })
    return { agent, asked, say, checked, flow: () => flows()[0]?.[1] }
  }

  test('ends the run with an interrupt, which is answered by what resumes it, once', async () => {
    const { agent, asked, checked, flow, say } = await scanning()
    const [interrupt] = asked.interrupts
    expect(interrupt).toMatchObject({ reason: 'intentflow:action', responseSchema: { type: 'object' } })
    expect(Date.parse(interrupt?.expiresAt ?? '')).toBeGreaterThan(Date.now())
    const action = asked.events.find((event) => (event as { name?: string }).name === 'intentflow.action')
    expect(action).toMatchObject({ value: { actionId: interrupt?.id, action: 'camera_capture' } })
    expect(flow()).toMatchObject({ state: 'scanning' })

    const answered = await checked(agent.resume({ success: true, result: { text: 'A7' } }))
    expect(answered.interrupts).toEqual([])
    expect(flow()).toMatchObject({ state: 'review', context: { photo: { text: 'A7' } } })
    // The same answer by the other way is the same event.
    const value = { v: 1, eventId: uuid(), actionId: interrupt?.id, success: true, result: { text: 'B8' } }
    const again = await say({ events: [{ type: 'CUSTOM', name: 'intentflow.action_response', value }] })
    expect(again.events.at(-1)).toMatchObject({ result: { intentflow: { results: [{ status: 'duplicate' }] } } })
    expect(flow()).toMatchObject({ context: { photo: { text: 'A7' } } })
  })

  test('can be cancelled', async () => {
    const { agent, checked, flow } = await scanning()
    await checked(agent.resume(undefined, 'cancelled'))
    expect(agent.pending).toEqual([])
    expect(flow()).toMatchObject({ state: 'review', context: { photo: null } })
  })
})

describe.each(clients)('a flow that has ended, with the stock client %s', (client) => {
  const flowEvents = (events: readonly object[]) =>
    events.flatMap((event) => {
      const { name = '' } = event as { name?: string }
      return name.startsWith('intentflow.') && name !== 'intentflow.results' ? [name] : []
    })

  /** Asks for a picture and a confirmation, by one client; a second one has seen the flow while it was open. */
  async function ordered() {
    const { url } = await startShop()
    const agent = new StockAgent({ url, client, threadId: uuid() })
    const say = (said: object) => agent.run({ forwardedProps: { intentflow: { v: 1, ...said } } })
    await say({ invoke: { eventId: uuid(), intentId: 'order.place', entities: {} } })
    const [instanceId = ''] = Object.keys((agent.agent.state as { activeFlows: object }).activeFlows)
    const send = (event: string, payload?: object) => {
      const value = { v: 1, eventId: uuid(), instanceId, event, ...(payload && { payload }) }
      return say({ events: [{ type: 'CUSTOM', name: 'intentflow.event', value }] })
    }
    await send('SCAN')
    const other = new StockAgent({ url, client, threadId: agent.threadId })
    other.agent.setState(structuredClone(agent.agent.state))
    await agent.resume({ success: true })
    const confirmed = await send('CONFIRM', { card: 'visa' })
    expect(flowEvents(confirmed.events)).toContain('intentflow.dismiss')
    return { url, agent, other }
  }

  test('is not told again by a run with nothing new, nor to a page that was loaded again', async () => {
    const { url, agent } = await ordered()
    const { events, error, rejected } = await agent.run()
    expect([flowEvents(events), error, rejected]).toEqual([[], undefined, undefined])
    const page = new StockAgent({ url, client, threadId: agent.threadId })
    expect(flowEvents((await page.run()).events)).toEqual([])
    expect(page.agent.state).toEqual({ coordinates: {}, activeFlows: {} })
  })

  test('is dismissed where it is still shown, and nothing is asked of that client', async () => {
    const { other } = await ordered()
    const { events } = await other.run()
    expect(flowEvents(events)).not.toContain('intentflow.action')
    expect(flowEvents(events)).not.toContain('intentflow.render')
    expect(flowEvents(events).at(-1)).toBe('intentflow.dismiss')
  })
})
