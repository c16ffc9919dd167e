import { isPlainObject, own, type PlainObject } from '../plain.ts'

/** A component's reference to another one. */
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
    ...childrenOf(own(component, 'children')),
    ...tabsOf(own(component, 'tabs')),
  ]
}

function single(component: PlainObject, key: string): Reference[] {
  const id = own(component, key)
  return typeof id === 'string' ? [{ id, path: `/${key}` }] : []
}

function childrenOf(children: unknown): Reference[] {
  if (Array.isArray(children)) {
    return children.flatMap((id, index) => (typeof id === 'string' ? [{ id, path: `/children/${index}` }] : []))
  }
  if (!isPlainObject(children)) return []
  const { componentId: id, path } = children
  if (typeof id !== 'string' || typeof path !== 'string') return []
  return [{ id, path: '/children/componentId', repeatedFor: path }]
}

function tabsOf(tabs: unknown): Reference[] {
  if (!Array.isArray(tabs)) return []
  return tabs.flatMap((tab, index) =>
    isPlainObject(tab) && typeof tab.child === 'string' ? [{ id: tab.child, path: `/tabs/${index}/child` }] : [],
  )
}
