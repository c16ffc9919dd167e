import { childrenOf, type Reference } from '../model/surfaces.ts'
import { isPlainObject, own, type PlainObject } from '../plain.ts'
import { escapeSegment } from '../pointer.ts'

/**
 * What a property of a component is for: `dynamic` is a value that may be bound to data, `word` one of a few names, such
 * as a style, and `static` anything else that is written as it is.
 */
export type PropertyKind =
  | 'static'
  | 'word'
  | 'dynamic'
  | 'action'
  | 'child'
  | 'children'
  | 'checks'
  | { readonly members: PropertyKinds }
  | { readonly items: PropertyKind }
  /** A schema that refers to itself. */
  | (() => PropertyKind)

export type PropertyKinds = ReadonlyMap<string, PropertyKind>

/** A kind of which the schema says the same in several places: what says most counts, and members are joined. */
export function joinedKinds(kinds: readonly PropertyKind[]): PropertyKind {
  const [first = 'static', ...others] = kinds.filter((kind) => kind !== 'static')
  if (others.length === 0) return first
  // A word that may also be bound is bound.
  if (first === 'word') return joinedKinds(others)
  const members = new Map<string, PropertyKind>()
  for (const kind of [first, ...others]) {
    if (typeof kind === 'string' || typeof kind === 'function' || !('members' in kind)) return first
    for (const [name, member] of kind.members) members.set(name, joinedKinds([members.get(name) ?? 'static', member]))
  }
  return { members }
}

/** The components that a component refers to, by what its catalog says of its properties. */
export function referencesIn(component: PlainObject, kinds: PropertyKinds): Reference[] {
  return [...kinds].flatMap(([name, kind]) => referencesAt(own(component, name), kind, `/${escapeSegment(name)}`))
}

function referencesAt(value: unknown, kind: PropertyKind, path: string): Reference[] {
  if (value === undefined) return []
  if (typeof kind === 'function') return referencesAt(value, kind(), path)
  if (kind === 'child') return typeof value === 'string' ? [{ id: value, path }] : []
  if (kind === 'children') return childrenOf(value, path)
  if (typeof kind === 'string') return []
  if ('items' in kind) {
    return Array.isArray(value)
      ? value.flatMap((item, index) => referencesAt(item, kind.items, `${path}/${index}`))
      : []
  }
  if (!isPlainObject(value)) return []
  return referencesIn(value, kind.members).map((reference) => ({ ...reference, path: `${path}${reference.path}` }))
}
