import { BeachError } from '@cool-ai/beach-core'
import type { A2uiMessage, Component } from '../messages.ts'
import { isPlainObject } from '../plain.ts'

const nodeMark: unique symbol = Symbol('beach.a2ui.node')
const templateMark: unique symbol = Symbol('beach.a2ui.template')

/** A component as it is written in code, with its children inside it. */
export interface UiNode {
  readonly [nodeMark]: true
  readonly component: string
  readonly properties: Readonly<Record<string, unknown>>
  /** A surface that shows this, with the data that its paths lead into. Surface templates may return a node: this is why. */
  toSurface(surfaceId: string, data?: unknown): A2uiMessage[]
}

/** A node that is shown once for each item of a list. */
export interface Template {
  readonly [templateMark]: true
  readonly path: string
  readonly item: UiNode
}

export function makeNode(
  component: string,
  properties: Readonly<Record<string, unknown>>,
  toSurface: (node: UiNode, surfaceId: string, data: unknown) => A2uiMessage[],
): UiNode {
  const node: UiNode = {
    [nodeMark]: true,
    component,
    properties,
    toSurface: (surfaceId, data) => toSurface(node, surfaceId, data),
  }
  return Object.freeze(node)
}

export function makeTemplate(path: string, item: UiNode): Template {
  return { [templateMark]: true, path, item }
}

export function isNode(value: unknown): value is UiNode {
  return isPlainObject(value) && nodeMark in value
}

export function isTemplate(value: unknown): value is Template {
  return isPlainObject(value) && templateMark in value
}

/** The flat list of components that nodes come to; ids follow from places, so the same code leads to the same ids. */
export function flatten(root: UiNode, rootId: string): Component[] {
  const components: Component[] = []
  const taken = new Set<string>()

  const add = (node: UiNode, generated: string): string => {
    const { id: given, ...properties } = node.properties
    const id = typeof given === 'string' ? given : generated
    if (taken.has(id)) {
      throw new BeachError(
        'INVALID_PART',
        `Two components have the id '${id}'. Give each one an id of its own, or none.`,
      )
    }
    taken.add(id)
    const place = components.push({ id, component: node.component }) - 1
    const filled = Object.entries(properties).flatMap(([key, value]) => {
      return value === undefined ? [] : [[key, referred(value, id, key)]]
    })
    components[place] = { id, component: node.component, ...Object.fromEntries(filled) }
    return id
  }
  const referred = (value: unknown, parent: string, key: string): unknown => {
    if (isNode(value)) return add(value, `${parent}.${key}`)
    if (isTemplate(value)) return { componentId: add(value.item, `${parent}.item`), path: value.path }
    if (Array.isArray(value)) return value.map((item, index) => referred(item, parent, String(index)))
    // A tab has a node inside an object.
    if (!isPlainObject(value) || !Object.values(value).some(isNode)) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, referred(member, parent, key)]))
  }

  add(root, rootId)
  return components
}
