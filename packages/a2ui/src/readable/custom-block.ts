import { inWords } from '@cool-ai/beach-core/runtime'
import type { PropertyKind, PropertyKinds } from '../catalogs/property-kind.ts'
import { dataBlocks, isSimple, valueText } from '../data/data-blocks.ts'
import { isPlainObject, own } from '../plain.ts'
import { urlOf } from './action-url.ts'
import { nothing, stack, type Block } from './block.ts'
import { cleanText } from './clean-text.ts'
import type { Read } from './surface-blocks.ts'

/** What a component says by itself comes first, without the names of these properties. */
const shownFirst = ['title', 'label', 'text', 'description']

/** What is for the page only. */
const hidden: ReadonlySet<string> = new Set(['id', 'component', 'weight', 'accessibility', ...shownFirst])

const maxDepth = 8

/** Of a component of another catalog, by its schema: its texts, its values with their names, its actions, its children. */
export function customBlock(read: Read, kinds: PropertyKinds): Block {
  const texts = shownFirst.map((key): Block => ({
    kind: 'text',
    text: kinds.has(key) ? read.text(key) : '',
    style: 'body',
  }))
  const values = [...kinds].filter(([name]) => !hidden.has(name)).map(([name, kind]) => propertyBlock(name, kind, read))
  const shown = stack([...texts, ...values, ...read.children()])
  const label = shown.kind === 'stack' && shown.blocks.length === 0 ? read.label() : ''
  return label === '' ? shown : { kind: 'text', text: label, style: 'body' }
}

function propertyBlock(name: string, kind: PropertyKind, read: Read): Block {
  const given = own(read.component, name)
  if (given === undefined || kind === 'word' || kind === 'child' || kind === 'children' || kind === 'checks') {
    return nothing
  }
  if (kind === 'action') return actionBlock(given, read)
  const value = resolved(given, kind, read)
  const label = cleanText(inWords(name))
  if (value === undefined || value === null || value === '' || !read.hasRoom(value)) return nothing
  if (isSimple(value)) return { kind: 'field', label, value: valueText(value) }
  return { kind: 'section', title: label, block: dataBlocks(value) }
}

/** A value with everything in it resolved that may be bound, and without what refers to components. */
function resolved(value: unknown, kind: PropertyKind, read: Read, depth = 0): unknown {
  if (depth > maxDepth) return undefined
  if (typeof kind === 'function') return resolved(value, kind(), read, depth)
  if (kind === 'dynamic') return read.resolve(value)
  if (kind === 'static') return value
  if (typeof kind === 'string') return undefined
  if ('items' in kind) {
    const items = Array.isArray(value) ? value.map((item) => resolved(item, kind.items, read, depth + 1)) : []
    const shown = items.filter((item) => item !== undefined)
    return shown.length === 0 ? undefined : shown
  }
  if (!isPlainObject(value)) return undefined
  const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const found = resolved(member, kind.members.get(name) ?? 'static', read, depth + 1)
    return found === undefined ? [] : [[name, found]]
  })
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

function actionBlock(action: unknown, read: Read): Block {
  const url = urlOf(action)
  const event = isPlainObject(action) ? own(action, 'event') : undefined
  const name = isPlainObject(event) ? own(event, 'name') : undefined
  if (url !== undefined) return { kind: 'link', label: 'Open', url }
  if (typeof name !== 'string') return nothing
  const label = cleanText(inWords(name))
  return { kind: 'button', label, action: read.action(label, action) }
}
