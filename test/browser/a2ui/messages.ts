import type { SurfacePart } from '@cool-ai/beach-a2ui/renderer'

const catalogId = 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json'

interface Options {
  readonly id?: string
  readonly data?: unknown
  readonly create?: object
  readonly slotKey?: string
}

/** The messages of a surface with these components. */
export function messages(components: readonly object[], { id = 'form', data, create }: Options = {}): object[] {
  return [
    { version: 'v0.9', createSurface: { surfaceId: id, catalogId, ...create } },
    { version: 'v0.9', updateComponents: { surfaceId: id, components } },
    ...(data === undefined ? [] : [{ version: 'v0.9', updateDataModel: { surfaceId: id, value: data } }]),
  ]
}

/** A part with a surface of these components. */
export function surfacePart(components: readonly object[], options: Options = {}): SurfacePart {
  return {
    partType: 'a2ui-surface',
    data: messages(components, options),
    ...(options.slotKey !== undefined && { metadata: { slotKey: options.slotKey } }),
  }
}

/** A surface that is one text. */
export function textSurface(text: string, options: Options = {}): SurfacePart {
  return surfacePart([{ id: 'root', component: 'Text', text }], options)
}

/** A form with two fields that are checked, and a button that sends them. */
export const formComponents: readonly object[] = [
  { id: 'root', component: 'Card', child: 'all' },
  { id: 'all', component: 'Column', children: ['title', 'name', 'email', 'send'] },
  { id: 'title', component: 'Text', text: 'Who is travelling?', variant: 'h2' },
  { id: 'name', component: 'TextField', label: 'Name', value: { path: '/name' } },
  {
    id: 'email',
    component: 'TextField',
    label: 'Email',
    value: { path: '/email' },
    checks: [{ condition: { call: 'email', args: { value: { path: '/email' } } }, message: 'That is no address.' }],
  },
  { id: 'send-text', component: 'Text', text: 'Continue' },
  {
    id: 'send',
    component: 'Button',
    variant: 'primary',
    child: 'send-text',
    checks: [{ condition: { call: 'email', args: { value: { path: '/email' } } }, message: 'Please give an address.' }],
    action: { event: { name: 'travellers', context: { who: { path: '/name' }, trip: 'T1' } } },
  },
]

/** The form, empty. */
export function emailForm(create: object = {}): SurfacePart {
  return surfacePart(formComponents, { data: { name: '', email: '' }, create })
}
