import { validateA2ui } from '@cool-ai/beach-a2ui'
import type { Principal } from '@cool-ai/beach-core'
import type { Flow, FlowView } from '@intentflow/core'
import { flowSurface, type SurfaceEvent } from '@intentflow/core/server'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { memoryBooks } from '../../examples/coffee/domain/books.ts'
import { Shop } from '../../examples/coffee/domain/shop.ts'
import { coffeeFlows } from '../../examples/coffee/flows/coffee-flows.ts'
import { orderPlace } from '../../examples/coffee/flows/order-place.ts'
import { runtime } from '../mcp/support.ts'
import { everyField, hostileText } from './every-field.ts'

const alice: Principal = { kind: 'user', id: 'alice', tenant: 'default' }

interface Component extends Record<string, unknown> {
  readonly id: string
  readonly component: string
}

interface Shown {
  readonly data: { readonly title: string; readonly lines: readonly { text: string }[]; readonly forms: unknown }
  readonly components: readonly Component[]
}

/** What a surface says, once it has been found to be valid. */
function read(messages: readonly unknown[]): Shown {
  expect(validateA2ui(messages)).toEqual({ valid: true, problems: [], unknownCatalogs: [] })
  const all = Object.assign({}, ...(messages as object[])) as {
    updateDataModel: { value: Shown['data'] }
    updateComponents: { components: Component[] }
  }
  return { data: all.updateDataModel.value, components: all.updateComponents.components }
}

function labelled({ components }: Shown, label: string): Component | undefined {
  const text = components.find((one) => one.component === 'Text' && one.text === label)
  return components.find(({ component, child }) => component === 'Button' && child === text?.id)
}

const eventsOf = (flow: Flow, state: string): SurfaceEvent[] =>
  flow.machine.events(state).flatMap((name) => {
    const event = flow.events[name]
    if (event?.source !== 'client') return []
    const payload = event.schema && z.toJSONSchema(event.schema, { io: 'input' })
    return [{ name, label: event.label ?? name, ...(payload && { payload: { ...payload } }) }]
  })

describe('the flows of the coffee shop', async () => {
  const shop = new Shop({ books: memoryBooks(), clock: runtime.clock, minuteMs: 60_000 })
  const registry = coffeeFlows(shop)
  const { paymentMethods } = await shop.account(alice)
  const placed = await registry.get('order.place')?.hydrator?.hydrate({
    entities: { items: [{ name: 'flat white' }] },
    principal: alice,
    signal: new AbortController().signal,
  } as never)
  const { items, location } = orderPlace.schema.parse(placed?.props)
  await shop.place(alice, { items, locationId: location.id, paymentId: paymentMethods[0]?.id ?? '', tip: 0 }, 'key')
  const states = registry.getFlows().flatMap((flow) => flow.machine.states.map((state) => [flow, state] as const))

  test.each(states.map(([flow, state]) => [flow.intentId, state, flow] as const))(
    '%s is a valid surface when it is %s',
    async (intentId, state, flow) => {
      const hydrated = await registry.get(intentId)?.hydrator?.hydrate({
        entities: intentId === 'order.place' ? { items: [{ name: 'flat white', quantity: 2 }] } : {},
        principal: alice,
        signal: new AbortController().signal,
      } as never)
      const props = flow.schema.parse(hydrated?.props)
      const context = { ...flow.machine.initial({}).context, ...flow.context(props), ...hydrated?.context }
      const events = eventsOf(flow, state)
      const view: FlowView = { instanceId: 'flow_1', title: flow.meta.title, state, props, context, events }
      const text = flow.text?.(view) ?? ''
      const { components, data } = read(flowSurface({ ...view, text }))
      expect(data.lines.map((line) => line.text).join('\n')).toBe(text)
      // All of them can be filled in.
      expect(components.filter(({ component }) => component === 'Button')).toHaveLength(events.length)
      const own = flow.surface?.(view)
      if (own !== undefined) read(own)
      expect(own !== undefined).toBe(intentId === 'order.place' && ['review', 'declined'].includes(state))
    },
  )

  test('all of their states are looked at', () => {
    expect(states.length).toBeGreaterThan(18)
  })
})

describe('a flow with fields', () => {
  const view = { instanceId: 'flow_1', title: everyField.meta.title, text: 'Hello', context: { amount: 2.5 } }
  const shown = read(flowSurface({ ...view, events: eventsOf(everyField, 'open') }))

  test('has an input for every kind, with what is known already', () => {
    const inputs = shown.components.filter(({ component }) =>
      ['TextField', 'CheckBox', 'ChoicePicker'].includes(component),
    )
    expect(inputs.map(({ component, label, variant }) => [component, label, variant])).toEqual([
      ['TextField', 'Name', 'shortText'],
      ['TextField', 'Note (optional)', 'shortText'],
      ['TextField', 'Amount', 'number'],
      ['TextField', 'Count (optional)', 'number'],
      ['CheckBox', 'Is new', undefined],
      ['CheckBox', 'Is gift', undefined],
      ['ChoicePicker', 'Size', 'mutuallyExclusive'],
      ['ChoicePicker', 'Odd name/with ~ all (optional)', 'mutuallyExclusive'],
      ['ChoicePicker', 'Level (optional)', 'mutuallyExclusive'],
      ['TextField', 'City (optional)', 'shortText'],
    ])
    expect(shown.data.forms).toEqual({
      event0: {
        field0: '',
        field1: '',
        field2: '2.5',
        field3: '',
        field4: false,
        field5: false,
        field6: [],
        field7: [''],
        field8: [''],
        field9: 'Bath',
      },
    })
  })

  test('sends the event with what the inputs hold, once what it needs is there', () => {
    const button = labelled(shown, 'Send it') as unknown as {
      action: { event: { name: string; context: Record<string, unknown> } }
      checks: { message: string }[]
    }
    expect(button.action.event.name).toBe('SEND')
    expect(button.action.event.context).toMatchObject({
      kind: 'form',
      name: { path: '/forms/event0/field0' },
      'odd name/with ~ all': { path: '/forms/event0/field7' },
    })
    expect(Object.keys(button.action.event.context)).not.toContain('tags')
    expect(button.checks.map(({ message }) => message)).toEqual([
      'Name is needed.',
      'Amount is needed.',
      'Size is needed.',
    ])
    expect(labelled(shown, 'Done')).toMatchObject({ action: { event: { name: 'DONE', context: {} } } })
  })

  test('has no button for what people cannot fill in', () => {
    expect(labelled(shown, 'Send raw')).toBeUndefined()
    expect(labelled(shown, 'Send either')).toBeUndefined()
  })
})

test('a text stays a text: it stands in the data, and is shown as it is', () => {
  const title = hostileText.split('\n')[0] ?? ''
  const { components, data } = read(flowSurface({ instanceId: 'flow_1', title, text: hostileText, events: [] }))
  expect(data.lines.map(({ text }) => text).join('\n')).toBe(hostileText)
  expect(JSON.stringify(components)).not.toContain('evil')
  const texts = components.filter(({ component }) => component === 'Text')
  // Only a body is read as Markdown.
  expect(texts.map(({ text, variant }) => [text, variant])).toEqual([
    [{ path: '/title' }, 'h3'],
    [{ path: 'text' }, 'caption'],
  ])
})
