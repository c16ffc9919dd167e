import { BeachError } from '@cool-ai/beach-core'
import { defined } from '@cool-ai/beach-core/runtime'
import { a2uiVersions, basicCatalogId, type A2uiMessage, type Theme } from '../messages.ts'
import { problemText } from '../validate/problems.ts'
import { validateA2ui } from '../validate/validate-a2ui.ts'
import { flatten, type UiNode } from './node.ts'
import { pathsOf, type Scope } from './scope.ts'

const [version] = a2uiVersions

/** A surface: its id, its data, and its components as a tree. */
export interface SurfaceOptions<Data> {
  readonly surfaceId: string
  /** What the paths lead into. */
  readonly data?: Data | undefined
  /** True when the client is to send the data back with every action. */
  readonly sendDataModel?: boolean | undefined
  readonly theme?: Theme | undefined
  /** What is shown: a node, or a function that is given typed paths into the data. */
  readonly root: UiNode | ((scope: Scope<Data>) => UiNode)
}

/** The messages that show a surface. They are valid, or this throws and says what is wrong. */
export function surface<Data = unknown>(options: SurfaceOptions<Data>): A2uiMessage[] {
  const { surfaceId, data, sendDataModel, theme, root } = options
  const create = defined({ surfaceId, catalogId: basicCatalogId, theme, sendDataModel })
  return checked([
    { version, createSurface: create },
    ...(data === undefined ? [] : updateData(surfaceId, '/', data)),
    updateOf(surfaceId, typeof root === 'function' ? root(pathsOf<Data>()) : root, 'root'),
  ])
}

/** Changes the data of a surface: the value at a path, which is removed when none is given. */
export function updateData(surfaceId: string, path: string, value?: unknown): A2uiMessage[] {
  const given = value === undefined ? {} : { value: jsonOf(value) }
  return checked([{ version, updateDataModel: { surfaceId, path, ...given } }])
}

/** Replaces components of a surface by their ids, or adds them. */
export function updateComponents(surfaceId: string, nodes: Readonly<Record<string, UiNode>>): A2uiMessage[] {
  const components = Object.entries(nodes).flatMap(([id, node]) => flatten(node, id))
  return checked([{ version, updateComponents: { surfaceId, components } }])
}

export function deleteSurface(surfaceId: string): A2uiMessage[] {
  return checked([{ version, deleteSurface: { surfaceId } }])
}

/** The surface of a node by itself; data goes along when something in it is shown. */
export function nodeSurface(root: UiNode, surfaceId: string, data: unknown): A2uiMessage[] {
  const update = updateOf(surfaceId, root, 'root')
  const isBound = /"path":|\$\{/.test(JSON.stringify(update))
  return checked([
    { version, createSurface: { surfaceId, catalogId: basicCatalogId } },
    ...(isBound && data !== undefined ? updateData(surfaceId, '/', data) : []),
    update,
  ])
}

function updateOf(surfaceId: string, root: UiNode, id: string): A2uiMessage {
  const { id: given } = root.properties
  if (id === 'root' && typeof given === 'string' && given !== 'root') {
    throw new BeachError('INVALID_PART', `The outermost component has the id 'root'. Leave out its id '${given}'.`)
  }
  return { version, updateComponents: { surfaceId, components: flatten(root, id) } }
}

function jsonOf(data: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(data)) as unknown
  } catch (cause) {
    throw new BeachError('INVALID_PART', 'The data of a surface must be JSON.', { cause })
  }
}

function checked(messages: A2uiMessage[]): A2uiMessage[] {
  const { problems } = validateA2ui(messages)
  if (problems.length === 0) return messages
  const text = problems.map((problem) => problemText(problem)).join('\n')
  throw new BeachError('INVALID_PART', `This surface is not valid A2UI.\n${text}`, { details: { problems } })
}
