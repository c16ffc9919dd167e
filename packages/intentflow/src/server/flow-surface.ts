import { defined } from '@cool-ai/beach-core/runtime'
import { basicCatalogId, type A2uiMessage } from '@cool-ai/beach-protocol'
import { plainFields, type EventField } from './event-fields.ts'
import type { Values } from '../schemas/json-problem.ts'

/** What a flow's usual surface is made of. */
export interface FlowSurfaceView {
  readonly instanceId: string
  readonly title: string
  /** The flow in words, line by line. */
  readonly text: string
  /** Where fields get what they hold at first, by their names. */
  readonly context?: Values
  readonly events: readonly SurfaceEvent[]
}

/** Something that the user can do: a button, with fields for what it needs. */
export interface SurfaceEvent {
  readonly name: string
  readonly label: string
  readonly payload?: Values
  /** `default` when left out. */
  readonly variant?: 'primary' | 'default' | 'borderless'
}

/** The id of the surface of a flow. */
export const flowSurfaceId = (instanceId: string): string => `flow-${instanceId}`

const version = 'v0.9'

/**
 * A flow as a surface of A2UI: its title, its text, and a button for each event, with fields made from the schema of its
 * payload. An event that needs what no field can hold gets no button. The name of an action is that of the event, its
 * context what the fields hold.
 */
export function flowSurface(view: FlowSurfaceView): A2uiMessage[] {
  const surfaceId = flowSurfaceId(view.instanceId)
  const forms = view.events.flatMap((event, index) => formOf(event, index, view.context ?? {}) ?? [])
  const bare = forms.filter(({ inputs }) => inputs.length === 0)
  const filled = forms.filter(({ inputs }) => inputs.length > 0)
  const value = {
    title: view.title,
    // Apart, so that none of it can be more than the line that it stands in.
    lines: view.text.split('\n').map((text) => ({ text })),
    forms: Object.fromEntries(filled.map(({ key, values }) => [key, values])),
  }
  const parts = ['title', 'lines', ...filled.map(({ key }) => `${key}-card`), ...(bare.length > 0 ? ['buttons'] : [])]
  const components = [
    { id: 'root', component: 'Card', child: 'content' },
    { id: 'content', component: 'Column', children: parts },
    { id: 'title', component: 'Text', text: { path: '/title' }, variant: 'h3' },
    { id: 'lines', component: 'Column', children: { path: '/lines', componentId: 'line' } },
    // A caption is shown as it is: in a body the text could pass for Markdown, and hide where a link leads.
    { id: 'line', component: 'Text', text: { path: 'text' }, variant: 'caption' },
    ...filled.flatMap(formComponents),
    ...(bare.length > 0 ? [{ id: 'buttons', component: 'Row', children: bare.map(({ key }) => key) }] : []),
    ...bare.flatMap(buttonComponents),
  ]
  return [
    { version, createSurface: { surfaceId, catalogId: basicCatalogId } },
    { version, updateDataModel: { surfaceId, path: '/', value } },
    { version, updateComponents: { surfaceId, components } },
  ]
}

/** An event with the components that people fill in for it. */
interface Form {
  readonly event: SurfaceEvent
  /** Names it within the surface. */
  readonly key: string
  readonly inputs: readonly Values[]
  /** What the inputs hold at first. */
  readonly values: Values
  /** What the action says. */
  readonly context: Values
  readonly checks: readonly Values[]
}

function formOf(event: SurfaceEvent, index: number, known: Values): Form | undefined {
  const fields = plainFields(event.payload)
  if (fields === undefined) return undefined
  const key = `event${index}`
  // There is nothing to choose: it is said as it is.
  const fixed = fields.filter(({ choices }) => choices?.length === 1)
  const open = fields.filter((field) => !fixed.includes(field)).map((field, at) => ({ field, at: `field${at}` }))
  const pathOf = (at: string) => ({ path: `/forms/${key}/${at}` })
  const checksOf = ({ field, at }: (typeof open)[number]): Values[] => {
    if (!field.required || field.kind === 'boolean') return []
    const condition = { call: 'required', args: { value: pathOf(at) }, returnType: 'boolean' }
    return [{ condition, message: `${field.label} is needed.` }]
  }
  return {
    event,
    key,
    inputs: open.map((one) => {
      const checks = checksOf(one)
      const input = { id: `${key}-${one.at}`, ...inputOf(one.field), value: pathOf(one.at) }
      return checks.length === 0 ? input : { ...input, checks }
    }),
    values: Object.fromEntries(open.map(({ field, at }) => [at, firstValue(field, known)])),
    context: Object.fromEntries([
      ...fixed.filter(({ required }) => required).map(({ name, choices = [] }) => [name, choices[0]] as const),
      ...open.map(({ field, at }) => [field.name, pathOf(at)] as const),
    ]),
    checks: open.flatMap(checksOf),
  }
}

function inputOf({ kind, label: name, required, choices = [] }: EventField): Values {
  const label = required || kind === 'boolean' ? name : `${name} (optional)`
  switch (kind) {
    case 'boolean':
      return { component: 'CheckBox', label }
    case 'choice': {
      const options = choices.map((choice) => ({ label: String(choice), value: String(choice) }))
      const none = required ? [] : [{ label: '—', value: '' }]
      return { component: 'ChoicePicker', label, variant: 'mutuallyExclusive', options: [...none, ...options] }
    }
    case 'number':
    case 'integer':
      return { component: 'TextField', label, variant: 'number' }
    default:
      return { component: 'TextField', label, variant: 'shortText' }
  }
}

/** What a field holds before any input: what the flow has by that name, or the schema's default. */
function firstValue({ name, kind, required, choices = [], default: usual }: EventField, known: Values): unknown {
  const own = Object.hasOwn(known, name) ? known[name] : undefined
  const value = own ?? usual
  if (kind === 'boolean') return value === true
  if (kind === 'choice') return choices.includes(value) ? [String(value)] : required ? [] : ['']
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function formComponents(form: Form): Values[] {
  const { key, inputs } = form
  return [
    { id: `${key}-card`, component: 'Column', children: [...inputs.map(({ id }) => id), key] },
    ...inputs,
    ...buttonComponents(form),
  ]
}

function buttonComponents({ event, key, context, checks }: Form): Values[] {
  const { name, label, variant = 'default' } = event
  const action = { event: { name, context } }
  const given = checks.length > 0 ? checks : undefined
  return [
    defined({ id: key, component: 'Button', child: `${key}-label`, variant, action, checks: given }),
    { id: `${key}-label`, component: 'Text', text: label },
  ]
}
