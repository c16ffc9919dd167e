import { a2uiVersions, findMessages, kindsIn, messageKinds, type FoundMessage, type MessageKind } from '../messages.ts'
import { isPlainObject, kindOf, own, quoted, type PlainObject } from '../plain.ts'
import { referencesOf } from '../model/surfaces.ts'
import { basicRules } from './basic-rules.ts'
import type { CatalogRules, KnownCatalogs } from './catalog-rules.ts'
import { checkShape, isBoolean, isText, must, type Check, type CheckContext, type Shape } from './check.ts'
import { checkComponent } from './components.ts'
import { a2uiLimits, isWithinLimits } from './limits.ts'
import { Problems, type A2uiProblem } from './problems.ts'
import { Structure, type PlacedComponent } from './structure.ts'
import { checkPath } from './values.ts'

/** What the check of a surface has found. */
export interface A2uiVerdict {
  /** True when nothing is wrong; only then may it be rendered. */
  readonly valid: boolean
  readonly problems: readonly A2uiProblem[]
  /** Catalogs that are not known here: their surfaces cannot be rendered, and are shown in words. No error. */
  readonly unknownCatalogs: readonly string[]
}

/** What surfaces are held to. */
export interface KnownRules {
  readonly known: KnownCatalogs
  /** The catalog of a surface that was created before; undefined when that is not known. Without it, the Basic Catalog. */
  readonly catalogOf?: ((surfaceId: string) => string | undefined) | undefined
}

/** Looks at A2UI messages for a client by what is known of catalogs. Never throws. */
export function validateMessages(data: unknown, { known, catalogOf }: KnownRules): A2uiVerdict {
  const problems = new Problems()
  const unknownCatalogs = new Set<string>()
  try {
    if (isWithinLimits(data, problems)) new Validation({ problems, unknownCatalogs, known, catalogOf }).all(data)
  } catch {
    // Objects of programs, not of JSON: their getters may do anything.
    problems.add('', 'This cannot be read.', 'Give plain JSON.')
  }
  return { valid: problems.list.length === 0, problems: problems.list, unknownCatalogs: [...unknownCatalogs] }
}

interface SeenSurface {
  /** True when the payload creates it: then all of it must be there. */
  isCreated: boolean
  /** Undefined when its catalog is not known, and nothing can be said of its components. */
  rules: CatalogRules | undefined
  readonly structure: Structure
}

interface ValidationContext extends KnownRules {
  readonly problems: Problems
  readonly unknownCatalogs: Set<string>
}

const components = must((value) => Array.isArray(value) && value.length > 0, 'an array with at least one component')
const anyValue: Check = () => {}

const bodies: Readonly<Record<MessageKind, Shape>> = {
  createSurface: {
    required: ['surfaceId', 'catalogId'],
    properties: { surfaceId: isText, catalogId: isText, theme: anyValue, sendDataModel: isBoolean },
  },
  updateComponents: { required: ['surfaceId', 'components'], properties: { surfaceId: isText, components } },
  updateDataModel: { required: ['surfaceId'], properties: { surfaceId: isText, path: checkPath, value: anyValue } },
  deleteSurface: { required: ['surfaceId'], properties: { surfaceId: isText } },
}

class Validation {
  readonly #problems: Problems
  readonly #surfaces = new Map<string, SeenSurface>()
  readonly #context: ValidationContext
  #components = 0

  constructor(context: ValidationContext) {
    this.#context = context
    this.#problems = context.problems
  }

  all(data: unknown): void {
    const wrapper = isPlainObject(data) && Array.isArray(own(data, 'messages')) ? data : undefined
    if (wrapper !== undefined) {
      const shape = { required: [], properties: { messages: anyValue } }
      checkShape(wrapper, '', shape, this.#looking('The list of messages'), 'The list of messages')
    }
    const found = findMessages(data)
    if (found.length > a2uiLimits.messages) {
      const remedy = `At most ${a2uiLimits.messages} are allowed: show less at once.`
      return this.#problems.add('', `There are ${found.length} messages.`, remedy)
    }
    if (found.length === 0) this.#problems.add('', 'There is no message.', 'Give at least one A2UI message.')
    for (const message of found) this.#message(message)
    for (const surface of this.#surfaces.values()) this.#end(surface)
  }

  #looking(subject: string): CheckContext {
    return { problems: this.#problems, subject, calls: 0 }
  }

  #message({ path, given }: FoundMessage): void {
    if (!isPlainObject(given)) {
      const remedy = `A message is an object with "version" and one of: ${messageKinds.join(', ')}.`
      return this.#problems.add(path, `There is ${kindOf(given)} where a message should be.`, remedy)
    }
    const kinds = kindsIn(given)
    this.#envelope(given, path, kinds)
    for (const kind of kinds) this.#body(kind, own(given, kind), `${path}/${kind}`)
  }

  #envelope(given: PlainObject, path: string, kinds: readonly MessageKind[]): void {
    const version = own(given, 'version')
    if (!a2uiVersions.some((known) => known === version)) {
      const what = version === undefined ? 'A message has no version.' : `A message has ${kindOf(version)} as version.`
      this.#problems.add(`${path}/version`, what, `Add "version": "${a2uiVersions[0]}".`)
    }
    if (kinds.length === 0) {
      const earlier = ['beginRendering', 'surfaceUpdate', 'dataModelUpdate'].some((key) => Object.hasOwn(given, key))
      const remedy = `Give one of: ${messageKinds.join(', ')}.${earlier ? ' What is there is from A2UI 0.8.' : ''}`
      this.#problems.add(path, 'A message says nothing.', remedy)
    }
    const known: ReadonlySet<string> = new Set(['version', ...messageKinds])
    for (const key of Object.keys(given)) {
      if (known.has(key)) continue
      const remedy = `Leave it out. A message has "version" and one of: ${messageKinds.join(', ')}.`
      this.#problems.add(path, `A message has no property ${quoted(key)}.`, remedy)
    }
  }

  #body(kind: MessageKind, body: unknown, path: string): void {
    if (!isPlainObject(body)) {
      return this.#problems.add(path, `${kind} has ${kindOf(body)}.`, `'${kind}' must be an object.`)
    }
    checkShape(body, path, bodies[kind], this.#looking(kind), kind)
    const surfaceId = own(body, 'surfaceId')
    if (typeof surfaceId === 'string') this.#apply(kind, surfaceId, body, path)
  }

  #apply(kind: MessageKind, surfaceId: string, body: PlainObject, path: string): void {
    const surface = this.#surfaces.get(surfaceId)
    switch (kind) {
      case 'createSurface':
        return this.#create(surfaceId, surface, body, path)
      case 'deleteSurface':
        if (surface !== undefined) this.#end(surface)
        this.#surfaces.delete(surfaceId)
        return undefined
      case 'updateDataModel':
        return (surface ?? this.#earlier(surfaceId)).structure.setData(textOr(body.path, ''), body.value)
      case 'updateComponents':
        return this.#update(surface ?? this.#earlier(surfaceId), body.components, `${path}/components`)
    }
  }

  #create(surfaceId: string, surface: SeenSurface | undefined, body: PlainObject, path: string): void {
    if (surface !== undefined) {
      const [when, remedy] = surface.isCreated
        ? ['a second time', 'Create a surface once; later messages with its id change it.']
        : ['after a message that changes it', 'Put createSurface first.']
      return this.#problems.add(path, `The surface ${quoted(surfaceId)} is created ${when}.`, remedy)
    }
    const { catalogId, theme } = body
    const rules = typeof catalogId === 'string' ? this.#rulesOf(catalogId) : basicRules
    this.#seen(surfaceId, rules).isCreated = true
    const checkTheme = rules?.theme ?? basicRules.theme
    if (theme !== undefined) checkTheme(theme, `${path}/theme`, 'theme', this.#looking('createSurface'))
  }

  #rulesOf(catalogId: string): CatalogRules | undefined {
    const rules = this.#context.known.get(catalogId)
    if (rules === undefined) this.#context.unknownCatalogs.add(catalogId)
    return rules
  }

  #seen(surfaceId: string, rules: CatalogRules | undefined): SeenSurface {
    const surface = { isCreated: false, rules, structure: new Structure(this.#problems) }
    this.#surfaces.set(surfaceId, surface)
    return surface
  }

  /** A surface that the payload speaks of without creating it. */
  #earlier(surfaceId: string): SeenSurface {
    const { catalogOf } = this.#context
    const catalogId = catalogOf?.(surfaceId)
    if (catalogOf === undefined) return this.#seen(surfaceId, basicRules)
    return this.#seen(surfaceId, catalogId === undefined ? undefined : this.#rulesOf(catalogId))
  }

  #update({ rules, structure }: SeenSurface, given: unknown, path: string): void {
    if (!Array.isArray(given)) return
    this.#components += given.length
    if (this.#components > a2uiLimits.components) {
      const remedy = `At most ${a2uiLimits.components} are allowed: show less at once, or use a template.`
      return this.#problems.add(path, 'There are too many components.', remedy)
    }
    const placed: PlacedComponent[] = []
    for (const [index, component] of given.entries()) {
      if (this.#problems.isFull) return
      const place = `${path}/${index}`
      if (isPlainObject(component)) {
        if (rules !== undefined) checkComponent(component, place, this.#problems, rules)
        const id = own(component, 'id')
        const name = own(component, 'component')
        const references = (typeof name === 'string' && rules?.components.get(name)?.references) || referencesOf
        if (typeof id === 'string') placed.push({ id, references: references(component), path: place })
      } else {
        const problem = `There is ${kindOf(component)} where a component should be.`
        this.#problems.add(place, problem, 'A component is an object with "id" and "component".')
      }
    }
    if (rules !== undefined) structure.add(placed, path)
  }

  #end({ isCreated, rules, structure }: SeenSurface): void {
    if (isCreated && rules !== undefined) structure.end()
  }
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}
