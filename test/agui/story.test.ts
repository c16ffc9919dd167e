import { EventType } from '@ag-ui/core'
import { test } from 'vitest'
import { startServer } from '../support/server-process.ts'
import { clients, customs, StockAgent, typesOf } from './agent.ts'

const program = 'examples/travel/start.mjs'

test.concurrent.for(clients)(
  'with the stock client %s a trip is asked for, made clear, approved and booked',
  async (client, context) => {
    const { expect } = context
    const server = await startServer(context, { program, variables: { BEACH_SCRIPT_MS: '0' } })
    const stock = new StockAgent({ url: server.url, client })

    const asked = await stock.say('flights from London to Rome')
    expect(asked.interrupts).toMatchObject([
      { reason: 'input_required', message: 'Did you mean the flight from Gatwick or Heathrow?' },
    ])
    expect(stock.texts().at(-1)).toBe('Did you mean the flight from Gatwick or Heathrow?')

    const clear = await stock.resume({ answer: 'Gatwick' })
    expect(clear).toMatchObject({ interrupts: [], error: undefined })
    expect(stock.texts().at(-1)).toMatch(/options? to Rome/)
    expect(customs(clear.events, 'domain-data')).toMatchObject([{ metadata: { kind: 'flight-results' } }])

    await stock.say('find me flights to Corfu in August')
    await stock.say('add BA 2043')
    expect(stock.texts().at(-1)).toBe('Your basket comes to £374.00. Say “book it” when it is right.')

    const booking = await stock.say('book it')
    expect(booking.interrupts).toMatchObject([
      {
        reason: 'confirmation',
        responseSchema: { required: ['approved'] },
        metadata: { kind: 'approval', toolName: 'book_package', args: { total: '£374.00' } },
      },
    ])
    expect(booking.interrupts[0]?.message).toMatch(
      /^Approval needed: Book BA 2043 London Gatwick to Corfu, .*, £374\.00\nBasket: pkg_\w+\nTotal: £374\.00$/,
    )
    expect(typesOf(booking.events)).toContain('ACTIVITY_SNAPSHOT')
    const surface = stock.messages.find(({ role }) => role === 'activity')
    expect(surface).toMatchObject({ activityType: 'a2ui-surface' })
    expect(JSON.stringify(surface?.content)).toMatch(/"a2ui_operations":\[\{"version":"v0.9","createSurface"/)

    const booked = await stock.resume({ approved: true })
    expect(booked).toMatchObject({ interrupts: [], error: undefined })
    expect(stock.texts().at(-1)).toMatch(/^Booked\. Your reference is ET-/)
    expect(customs(booked.events, 'beach.decision')).toEqual([])

    const made = await stock.say('make an itinerary')
    const artifacts = customs(made.events, 'artifact') as { data: { url: string } }[]
    const files = await Promise.all(artifacts.map(async ({ data: { url } }) => (await fetch(url)).text()))
    expect(files).toEqual([expect.stringMatching(/^<!doctype html>/i), expect.stringMatching(/^BEGIN:VCALENDAR/)])
    // What was said is said once, in its order, and the client has nothing that was not.
    expect(stock.texts('user')).toEqual([
      'flights from London to Rome',
      'Gatwick',
      'find me flights to Corfu in August',
      'add BA 2043',
      'book it',
      'make an itinerary',
    ])
    expect(new Set(stock.messages.map(({ id }) => id)).size).toBe(stock.messages.length)
  },
)

test.concurrent.for(clients)('with the stock client %s, research shows its steps', async (client, context) => {
  const { expect } = context
  const server = await startServer(context, { program, variables: { BEACH_SCRIPT_MS: '0' } })
  const stock = new StockAgent({ url: server.url, client })
  const { events, error } = await stock.say('research Corfu')
  expect(error).toBeUndefined()
  const steps = events.filter(({ type }) => type === EventType.STEP_STARTED || type === EventType.STEP_FINISHED)
  expect(steps.map(({ type, stepName }) => [type, stepName])).toEqual([
    ['STEP_STARTED', expect.stringMatching(/Corfu/)],
    ['STEP_FINISHED', expect.stringMatching(/Corfu/)],
  ])
  expect(customs(events, 'progress')).toHaveLength(5)
  expect(customs(events, 'citation')).toHaveLength(4)
  expect(stock.texts().at(-1)).toMatch(/^This is what I know about Corfu/)
})
