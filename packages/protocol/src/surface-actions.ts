import { defined } from '@cool-ai/beach-core/runtime'
import type { A2uiAction } from './a2ui-action.ts'
import type { A2uiMessage } from './a2ui-messages.ts'
import { isPlainObject } from './plain-value.ts'

/** An action that a component of a surface declares. */
export interface DeclaredAction {
  readonly componentId: string
  readonly name: string
  /** What its context says by itself; a client can only send it back. */
  readonly fixed: Readonly<Record<string, unknown>>
  /** The keys of its context that are bound to data, and that the user may therefore fill in. */
  readonly bound: readonly string[]
  /** What the button says, where that is known without data. */
  readonly label?: string
}

const maxLabelLength = 80
const maxDepth = 32

/** The actions that the components of an updateComponents message declare. */
export function declaredActions(message: A2uiMessage): DeclaredAction[] {
  const components = componentsOf(message)
  const texts = new Map(components.flatMap((component) => literalText(component)))
  return components.flatMap((component) => {
    const { child, accessibility } = component
    const named = isPlainObject(accessibility) ? accessibility.label : undefined
    // What a screen reader says is the clearer name where many buttons say the same.
    const label = isLabel(named) ? named : typeof child === 'string' ? texts.get(child) : undefined
    return eventsIn(component).map((event) => declared(component.id, event, label))
  })
}

/** The ids of the components that a message defines, anew or for the first time. */
export function componentIds(message: A2uiMessage): string[] {
  return componentsOf(message).map(({ id }) => id)
}

/** The declared action that was sent, or what is wrong with what was sent, as a sentence. */
export function matchAction(
  { sourceComponentId, name, context }: A2uiAction,
  actions: readonly DeclaredAction[],
): { readonly action: DeclaredAction } | { readonly problem: string } {
  const own = actions.filter((action) => action.componentId === sourceComponentId)
  if (own.length === 0) return { problem: `The component '${sourceComponentId}' of this surface has no action.` }
  const called = own.filter((action) => action.name === name)
  const names = own.map((action) => `'${action.name}'`).join(', ')
  let problem = `The component '${sourceComponentId}' has no action '${name}'; it has ${names}.`
  // A component may offer the same action with several contexts.
  for (const action of called) {
    const wrong = contextProblem(context, action)
    if (wrong === undefined) return { action }
    problem = wrong
  }
  return { problem }
}

function contextProblem(context: A2uiAction['context'], { fixed, bound }: DeclaredAction): string | undefined {
  const changed = Object.keys(fixed).filter((key) => {
    return !Object.hasOwn(context, key) || JSON.stringify(context[key]) !== JSON.stringify(fixed[key])
  })
  if (changed.length > 0) return `The context is not the one of this action: ${changed.join(', ')} must be as declared.`
  const unknown = Object.keys(context).filter((key) => !Object.hasOwn(fixed, key) && !bound.includes(key))
  return unknown.length === 0 ? undefined : `The context of this action has no ${unknown.join(', ')}.`
}

type Component = Readonly<Record<string, unknown>> & { readonly id: string }
type ActionEvent = Readonly<Record<string, unknown>> & { readonly name: string }

function componentsOf({ updateComponents }: A2uiMessage): Component[] {
  const components = isPlainObject(updateComponents) ? updateComponents.components : undefined
  return Array.isArray(components) ? components.filter(isComponent) : []
}

function isComponent(value: unknown): value is Component {
  return isPlainObject(value) && typeof value.id === 'string'
}

/** Wherever it stands in a component: catalogs of others may have it in other places than a button's `action`. */
function eventsIn(value: unknown, depth = 0): ActionEvent[] {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return []
  const event: unknown = isPlainObject(value) ? value.event : undefined
  const own = isPlainObject(event) && typeof event.name === 'string' ? [event as ActionEvent] : []
  return [...own, ...Object.values(value).flatMap((member) => eventsIn(member, depth + 1))]
}

function declared(componentId: string, { name, context }: ActionEvent, label: string | undefined): DeclaredAction {
  const entries = isPlainObject(context) ? Object.entries(context) : []
  const fixed = entries.filter(([, value]) => !isBound(value))
  const bound = entries.filter(([, value]) => isBound(value)).map(([key]) => key)
  return { componentId, name, fixed: Object.fromEntries(fixed), bound, ...defined({ label }) }
}

/** A path into the data, or a function of it. */
function isBound(value: unknown): boolean {
  return isPlainObject(value) && (typeof value.path === 'string' || typeof value.call === 'string')
}

function literalText({ id, text }: Component): [string, string][] {
  return isLabel(text) ? [[id, text]] : []
}

function isLabel(text: unknown): text is string {
  return typeof text === 'string' && text !== '' && text.length <= maxLabelLength
}
