import { findMessages, kindsIn, type Component } from '../messages.ts'
import { isPlainObject, own, type PlainObject } from '../plain.ts'
import { withValueAt } from './data-model.ts'

export interface Surface {
  readonly surfaceId: string
  /** The Basic Catalog's when the messages do not create the surface themselves. */
  readonly catalogId: string | undefined
  readonly components: ReadonlyMap<string, Component>
  readonly data: unknown
}

interface OpenSurface {
  readonly surfaceId: string
  catalogId: string | undefined
  readonly components: Map<string, Component>
  data: unknown
}

/** The surfaces that messages make, in the order in which they first appear; what cannot be read is passed over. */
export function surfacesOf(data: unknown): Surface[] {
  const surfaces = new Map<string, OpenSurface>()
  for (const { given } of findMessages(data)) {
    if (!isPlainObject(given)) continue
    for (const kind of kindsIn(given)) {
      const body = own(given, kind)
      const surfaceId = isPlainObject(body) ? own(body, 'surfaceId') : undefined
      if (!isPlainObject(body) || typeof surfaceId !== 'string') continue
      if (kind === 'deleteSurface') surfaces.delete(surfaceId)
      else {
        const surface = surfaces.get(surfaceId) ?? emptySurface(surfaceId)
        surfaces.set(surfaceId, surface)
        apply(surface, kind, body)
      }
    }
  }
  return [...surfaces.values()]
}

function emptySurface(surfaceId: string): OpenSurface {
  return { surfaceId, catalogId: undefined, components: new Map(), data: undefined }
}

function apply(surface: OpenSurface, kind: string, body: PlainObject): void {
  switch (kind) {
    case 'createSurface':
      surface.catalogId = typeof body.catalogId === 'string' ? body.catalogId : ''
      break
    case 'updateDataModel':
      surface.data = withValueAt(surface.data, typeof body.path === 'string' ? body.path : '', body.value)
      break
    default:
      for (const component of Array.isArray(body.components) ? body.components : []) {
        if (isComponent(component)) surface.components.set(component.id, component)
      }
  }
}

/** True for an object that has the name and the type of a component. */
function isComponent(value: unknown): value is Component {
  return isPlainObject(value) && typeof value.id === 'string' && typeof value.component === 'string'
}

export interface Reference {
  readonly id: string
  /** Where it stands in the component, as a JSON Pointer. */
  readonly path: string
  /** Where the list is that the other one is repeated for. */
  readonly repeatedFor?: string
}

/** The components that a component refers to, in the order in which they are shown. */
export function referencesOf(component: PlainObject): Reference[] {
  return [
    ...single(component, 'trigger'),
    ...single(component, 'content'),
    ...single(component, 'child'),
    ...childrenOf(own(component, 'children'), '/children'),
    ...tabsOf(own(component, 'tabs')),
  ]
}

function single(component: PlainObject, key: string): Reference[] {
  const id = own(component, key)
  return typeof id === 'string' ? [{ id, path: `/${key}` }] : []
}

/** The components in a list of children, or in the template of one, which is at this path. */
export function childrenOf(children: unknown, at: string): Reference[] {
  if (Array.isArray(children)) {
    return children.flatMap((id, index) => (typeof id === 'string' ? [{ id, path: `${at}/${index}` }] : []))
  }
  if (!isPlainObject(children)) return []
  const { componentId: id, path } = children
  if (typeof id !== 'string' || typeof path !== 'string') return []
  return [{ id, path: `${at}/componentId`, repeatedFor: path }]
}

function tabsOf(tabs: unknown): Reference[] {
  if (!Array.isArray(tabs)) return []
  return tabs.flatMap((tab, index) =>
    isPlainObject(tab) && typeof tab.child === 'string' ? [{ id: tab.child, path: `/tabs/${index}/child` }] : [],
  )
}
