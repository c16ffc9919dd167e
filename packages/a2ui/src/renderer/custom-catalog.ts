import {
  ActionSchema,
  Catalog,
  CheckableSchema,
  ChildListSchema,
  ComponentIdSchema,
  DataBindingSchema,
  DynamicValueSchema,
  FunctionCallSchema,
  type ComponentApi,
  type FunctionImplementation,
} from '@a2ui/web_core/v0_9'
import type { TemplateResult } from 'lit'
import type { A2uiCatalog } from '../catalogs/a2ui-catalog.ts'
import { rulesOf } from '../catalogs/compile-catalog.ts'
import type { PropertyKind, PropertyKinds } from '../catalogs/property-kind.ts'
import type { ComponentRules, FunctionRules } from '../validate/catalog-rules.ts'
import { basicKinds } from './catalog.ts'
import { component, type ComponentKind, type View } from './component-element.ts'
import { functions as basicFunctions } from './functions.ts'
import { changed } from './surface-services.ts'
import { sheetOf } from './theme.ts'
import { textsOf, write } from './values.ts'

/** What a component of a catalog is drawn from. */
export interface ComponentView {
  /** Its properties: what was bound to data, or computed, is resolved. */
  readonly props: Readonly<Record<string, unknown>>
  /** True while the surface takes no input. */
  readonly isDisabled: boolean
  /** What is wrong by its checks, once the user has tried to go on. */
  readonly problems: readonly string[]
  /** An id that nothing else in the surface has, for labels. */
  readonly id: (name: string) => string
  /** Draws the component that a property refers to. */
  readonly child: (reference: unknown) => unknown
  /** Draws those of a list of children, each in a wrapping of its own if there is one. */
  readonly children: (references: unknown, wrap?: (child: unknown) => TemplateResult) => unknown
  /** Writes a value to the place in the data that a property is bound to. */
  readonly set: (property: string, value: unknown) => void
  /** Carries out the action of a property, as a click does: once, and only when all checks are met. */
  readonly act: (property: string) => void
  /** What this place on the page remembers by itself; `change` adds to it and draws again. */
  readonly local: Readonly<Record<string, unknown>>
  readonly change: (local: Readonly<Record<string, unknown>>) => void
}

/** Draws a component: a template of Lit, a node, a text. */
export type DrawComponent = (view: ComponentView) => unknown

/** A catalog besides the Basic Catalog, and what shows it. */
export interface RendererCatalog {
  /** The catalog as the agent has it. */
  readonly catalog: A2uiCatalog
  /** What draws each component; those that the Basic Catalog has too are drawn like there when they are left out. */
  readonly components?: Readonly<Record<string, DrawComponent>>
  /** What computes each function, from its arguments; those of the Basic Catalog need not be given. */
  readonly functions?: Readonly<Record<string, (args: Readonly<Record<string, unknown>>) => unknown>>
  /** Styles for what `components` draws: those of the page do not reach into a surface. */
  readonly styles?: string
}

/** A catalog that can be drawn. */
export interface DrawableCatalog {
  readonly model: Catalog<ComponentKind>
  readonly sheet?: (() => CSSStyleSheet) | undefined
}

export function drawableCatalog({
  catalog,
  components = {},
  functions = {},
  styles,
}: RendererCatalog): DrawableCatalog {
  const rules = rulesOf(catalog)
  const { catalogId } = catalog
  requireKnown(catalogId, 'component', Object.keys(components), rules.components)
  requireKnown(catalogId, 'function', Object.keys(functions), rules.functions)
  const kinds = [...rules.components].map(([name, one]) => kindOf(name, one, own(components, name), catalogId))
  const runs = [...rules.functions].map(([name, one]) => functionOf(name, one, own(functions, name), catalogId))
  for (const kind of kinds) kind.define()
  const sheet = styles === undefined ? undefined : sheetOf(styles)
  return { model: new Catalog(catalogId, kinds, runs), sheet }
}

/** What was given for a name; what every object has under it counts for nothing. */
function own<Value>(given: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(given, name) ? given[name] : undefined
}

function requireKnown(
  catalogId: string,
  what: string,
  names: readonly string[],
  known: ReadonlyMap<string, unknown>,
): void {
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined) throw new TypeError(`The catalog ${catalogId} has no ${what} '${unknown}'.`)
}

function kindOf(
  name: string,
  rules: ComponentRules,
  draw: DrawComponent | undefined,
  catalogId: string,
): ComponentKind {
  const basic = basicKinds.find((kind) => kind.name === (rules.basic ?? name))
  if (draw !== undefined) {
    const schema = rules.kinds === undefined ? basic?.schema : objectSchema(rules.kinds, 0)
    return ownComponent({ name, schema: schema ?? nothing }, draw)
  }
  if (basic !== undefined) return { ...basic, name }
  throw new TypeError(
    `The catalog ${catalogId} has a component '${name}', and nothing that draws it. Give components.${name}.`,
  )
}

let count = 0

function ownComponent(api: ComponentApi, draw: DrawComponent): ComponentKind {
  // Elements are the whole page's: two renderers may have components of the same name.
  const tagName = `beach-own-${++count}-${api.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
  return component(
    api,
    (): Record<string, unknown> => ({}),
    (view) => drawn(view, draw),
    tagName,
  )
}

function drawn(view: View<Record<string, unknown>>, draw: DrawComponent): unknown {
  const { props, surface, local, change, id, child, children, model, element } = view
  element.toggleAttribute('own', true)
  try {
    return draw({
      props,
      isDisabled: surface.state !== 'open',
      problems: surface.attempted && props.isValid === false ? textsOf(props.validationErrors) : [],
      id,
      child,
      children,
      set: (property, value) => write(props[`set${property.charAt(0).toUpperCase()}${property.slice(1)}`], value),
      act: (property) => act(view, property),
      local,
      change,
    })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    surface.report(`The ${model.type} '${model.id}' could not be drawn: ${why}`)
    return undefined
  }
}

function act({ props, surface }: View<Record<string, unknown>>, property: string): void {
  const action = props[property]
  if (surface.state !== 'open' || typeof action !== 'function') return
  if (props.isValid === false) {
    surface.attempted = true
    changed(surface)
    return
  }
  surface.acting = true
  try {
    ;(action as () => void)()
  } finally {
    surface.acting = false
  }
}

function functionOf(
  name: string,
  { returns }: FunctionRules,
  run: ((args: Readonly<Record<string, unknown>>) => unknown) | undefined,
  catalogId: string,
): FunctionImplementation {
  if (run !== undefined) {
    return { name, returnType: returns, schema: FunctionCallSchema.shape.args, execute: (args) => run(args) }
  }
  const basic = basicFunctions.find((one) => one.name === name)
  if (basic !== undefined) return basic
  throw new TypeError(
    `The catalog ${catalogId} has a function '${name}', and nothing that runs it. Give functions.${name}.`,
  )
}

// What the binder of A2UI's models needs to know: only which properties are bound, which act, and which refer.
type Schema = ComponentApi['schema']

const maxDepth = 6
const nothing = DataBindingSchema.omit({ path: true })
const plain: Schema = FunctionCallSchema.shape.call

function objectSchema(kinds: PropertyKinds, depth: number): Schema {
  const shape = Object.fromEntries([...kinds].map(([name, kind]) => [name, schemaOf(kind, depth + 1)]))
  return nothing.extend(shape)
}

function schemaOf(kind: PropertyKind, depth: number): Schema {
  // Schemas that refer to themselves have no end; data has.
  if (depth > maxDepth) return plain
  if (typeof kind === 'function') return schemaOf(kind(), depth + 1)
  if (typeof kind === 'object') {
    return 'items' in kind ? schemaOf(kind.items, depth + 1).array() : objectSchema(kind.members, depth)
  }
  switch (kind) {
    case 'dynamic':
      return DynamicValueSchema
    case 'action':
      return ActionSchema
    case 'child':
      return ComponentIdSchema
    case 'children':
      return ChildListSchema
    case 'checks':
      return CheckableSchema.shape.checks
    case 'static':
    case 'word':
      return plain
  }
}
