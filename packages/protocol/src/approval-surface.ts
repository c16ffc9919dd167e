import { approvalAction } from './a2ui-action.ts'
import { basicCatalogId, readA2uiMessages, type A2uiMessage } from './a2ui-messages.ts'
import { approvalLines, expiryText } from './approval-text.ts'
import type { AskedApproval } from './approval-words.ts'
import { isPlainObject } from './plain-value.ts'
import { visibleText } from './visible-text.ts'

/** How the ids of these surfaces begin; no other surface may have such an id. */
export const approvalSurfacePrefix = 'approval-'

const version = 'v0.9'

type Component = Readonly<Record<string, unknown>> & { readonly id: string }

/** The built-in surface of an approval request: what would be done, with which arguments, and two buttons. */
export function approvalSurface(asked: AskedApproval): A2uiMessage[] {
  const { approvalId } = asked.request
  const surfaceId = `${approvalSurfacePrefix}${approvalId}`
  const authored = authoredSurface(asked.surface)
  const expiry = expiryText(asked).trim()
  const texts = [
    text('title', `${asked.title}?`, 'h3'),
    text('requested-by', `Requested by ${visibleText(asked.request.handler)}`),
    ...approvalLines(asked).map((line, index) => text(`line-${index}`, line)),
    ...(expiry === '' ? [] : [text('expiry', expiry)]),
  ]
  const shown = texts.map(({ id }) => id)
  const children = [...shown.slice(0, 1), ...authored.components.slice(0, 1).map(({ id }) => id), ...shown.slice(1)]
  const components: Component[] = [
    { id: 'root', component: 'Card', child: 'content' },
    { id: 'content', component: 'Column', children: [...children, 'approve', 'deny'] },
    ...texts,
    ...authored.components,
    ...button('approve', 'Approve', { approvalId, decision: 'granted' }),
    ...button('deny', 'Deny', { approvalId, decision: 'denied' }),
  ]
  return [
    { version, createSurface: { surfaceId, catalogId: basicCatalogId } },
    { version, updateDataModel: { surfaceId, path: '/', value: authored.data } },
    { version, updateComponents: { surfaceId, components } },
  ]
}

/** What is foreign to the author of the agent is a caption, which is shown as it is: a body could hide where a link leads. */
function text(id: string, words: string, variant = 'caption'): Component {
  return { id, component: 'Text', text: words, variant }
}

function button(id: string, label: string, context: Record<string, string>): Component[] {
  const action = { event: { name: approvalAction, context } }
  const variant = id === 'approve' ? 'primary' : 'default'
  return [
    { id, component: 'Button', child: `${id}-label`, variant, action },
    { id: `${id}-label`, component: 'Text', text: label },
  ]
}

// Ids of the author's components; ours have none that begins so.
const authoredPrefix = 'about-'

/** The author's components and data, the root first; none when there are no messages that can be read. */
function authoredSurface(surface: unknown): { readonly components: Component[]; readonly data: unknown } {
  const messages = surface === undefined ? [] : (readA2uiMessages(surface) ?? [])
  const given = messages.flatMap(({ updateComponents }) => {
    return isPlainObject(updateComponents) && Array.isArray(updateComponents.components)
      ? updateComponents.components
      : []
  })
  const data = messages.map(({ updateDataModel }) => isPlainObject(updateDataModel) && updateDataModel.value)
  const ids = new Set(given.flatMap((component) => (isComponent(component) ? [component.id] : [])))
  const renamed = given.filter(isComponent).map((component) => renameIn(component, ids) as Component)
  const isRoot = ({ id }: Component) => id === `${authoredPrefix}root`
  const components = renamed.toSorted((one, other) => Number(isRoot(other)) - Number(isRoot(one)))
  return { components, data: data.findLast((value) => isPlainObject(value)) ?? {} }
}

function isComponent(value: unknown): value is Component {
  return isPlainObject(value) && typeof value.id === 'string'
}

/** The same component under other ids: where it names others it names theirs. */
function renameIn(value: unknown, ids: ReadonlySet<string>, key = ''): unknown {
  if (typeof value === 'string') return referring.has(key) && ids.has(value) ? `${authoredPrefix}${value}` : value
  if (Array.isArray(value)) return value.map((item) => renameIn(item, ids, key))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, renameIn(member, ids, name)]))
}

const referring: ReadonlySet<string> = new Set(['id', 'child', 'children', 'componentId', 'trigger', 'content'])
