import { basicCatalogId, type Component } from '../messages.ts'
import { valueAt } from '../model/data-model.ts'
import { formatDate } from '../model/format-date.ts'
import { referencesOf, type Reference, surfacesOf, type Surface } from '../model/surfaces.ts'
import type { ComponentRules, KnownCatalogs } from '../validate/catalog-rules.ts'
import { resolveValue, textOf, type Scope } from '../model/resolve-value.ts'
import { isPlainObject, own, type PlainObject } from '../plain.ts'
import { absolutePath } from '../pointer.ts'
import { actionFields } from './action-fields.ts'
import { urlOf } from './action-url.ts'
import { nothing, stack, wordsOf, type Block, type TextStyle } from './block.ts'
import type { ChoiceAction } from '@cool-ai/beach-core/registries'
import { defined, inWords } from '@cool-ai/beach-core/runtime'
import { cleanText } from './clean-text.ts'
import { customBlock } from './custom-block.ts'

const maxComponents = 5_000
const maxItems = 500
const maxDepth = 60
const maxCharacters = 500_000

/** That of numbers, dates and plurals where the reader's is not known. */
export const defaultLocale = 'en-US'

export interface SurfaceReading {
  readonly locale: string
  readonly catalogs: KnownCatalogs
  /** The catalogs of surfaces that the messages do not create, where they are others than the Basic Catalog. */
  readonly catalogOf?: ((surfaceId: string) => string | undefined) | undefined
}

/** What surfaces show, as blocks. Messages that were never validated lead to less, not to an error. */
export function surfaceBlocks(data: unknown, reading: SurfaceReading): Block {
  const { locale } = reading
  return stack(
    surfacesOf(data).map((surface) => new Reading(surface, reading).all({ data: surface.data, base: '/', locale })),
  )
}

interface BlockScope {
  readonly scope: Scope
  readonly open: ReadonlySet<string>
}

class Reading {
  readonly #surface: Surface
  /** The components of its catalog; undefined when that is not known. */
  readonly #known: ReadonlyMap<string, ComponentRules> | undefined
  #left = maxComponents
  #room = maxCharacters

  constructor(surface: Surface, { catalogs, catalogOf }: SurfaceReading) {
    const { surfaceId, catalogId = catalogOf?.(surfaceId) ?? basicCatalogId } = surface
    this.#surface = surface
    this.#known = catalogs.get(catalogId)?.components
  }

  all(scope: Scope): Block {
    return stack(this.#roots().map((id) => this.#component(id, { scope, open: new Set() })))
  }

  /** The root or, in an update of something that is elsewhere, what nothing else refers to. */
  #roots(): string[] {
    const { components } = this.#surface
    if (components.has('root')) return ['root']
    const inside = new Set([...components.values()].flatMap((one) => this.#references(one)).map(({ id }) => id))
    return [...components.keys()].filter((id) => !inside.has(id))
  }

  #references(component: Component): readonly Reference[] {
    return (this.#known?.get(component.component)?.references ?? referencesOf)(component)
  }

  #component(id: string, { scope, open }: BlockScope): Block {
    const component = this.#surface.components.get(id)
    if (component === undefined || open.has(id) || open.size >= maxDepth || this.#left-- <= 0) return nothing
    const place = { scope, open: new Set([...open, id]) }
    const rules = this.#known?.get(component.component)
    // A component that is named like one of the Basic Catalog shows the same.
    const name = rules === undefined ? undefined : (rules.basic ?? component.component)
    const reader = name !== undefined && Object.hasOwn(readers, name) ? readers[name] : undefined
    const read: Read = {
      component,
      text: (key) => this.#text(own(component, key), scope),
      textFrom: (value) => this.#text(value, scope),
      value: (key) => resolveValue(own(component, key), scope),
      resolve: (value) => resolveValue(value, scope),
      hasRoom: (value) => this.#hasRoom(value),
      children: () => this.#references(component).flatMap((reference) => this.#referred(reference, place)),
      byId: (child) => (typeof child === 'string' ? this.#component(child, place) : nothing),
      label: () => {
        const accessibility = own(component, 'accessibility')
        return isPlainObject(accessibility) ? this.#text(own(accessibility, 'label'), scope) : ''
      },
      locale: scope.locale,
      action: (label, given = own(component, 'action')) => this.#action(component, given, label, scope),
    }
    if (reader !== undefined) return reader(read)
    return rules?.kinds === undefined ? unknownComponent(read) : customBlock(read, rules.kinds)
  }

  /** What pressing a component does, with the values that the surface has for it. */
  #action({ id }: Component, action: unknown, label: string, scope: Scope): ChoiceAction | undefined {
    const event = isPlainObject(action) ? own(action, 'event') : undefined
    const name = isPlainObject(event) ? own(event, 'name') : undefined
    if (!isPlainObject(event) || typeof name !== 'string') return undefined
    const context = own(event, 'context')
    const values = Object.entries(isPlainObject(context) ? context : {})
      .map(([key, value]) => [key, resolveValue(value, scope)] as const)
      .filter(([, value]) => value !== undefined)
    const { surfaceId, components } = this.#surface
    const fields = actionFields(isPlainObject(context) ? context : {}, {
      components: components.values(),
      base: scope.base,
      text: (value) => this.#text(value, scope),
    })
    const filled = fields.length === 0 ? undefined : fields
    return defined({
      label,
      surfaceId,
      sourceComponentId: id,
      name,
      context: Object.fromEntries(values),
      fields: filled,
    })
  }

  /** A value as text. References multiply what is shown, so there is an end to it. */
  #text(value: unknown, scope: Scope): string {
    const text = cleanText(textOf(resolveValue(value, scope))).slice(0, this.#room)
    this.#room -= text.length
    return text
  }

  #hasRoom(value: unknown): boolean {
    const { length } = textOf(value)
    if (length > this.#room) return false
    this.#room -= length
    return true
  }

  #referred({ id, repeatedFor }: Reference, place: BlockScope): Block[] {
    if (repeatedFor === undefined) return [this.#component(id, place)]
    const { scope } = place
    const list = absolutePath(repeatedFor, scope.base)
    const items = valueAt(scope.data, list)
    if (!Array.isArray(items)) return []
    const shown = items.slice(0, maxItems).map((_, index) => {
      return this.#component(id, { ...place, scope: { ...scope, base: `${list}/${index}` } })
    })
    const more = items.length - shown.length
    return more > 0 ? [...shown, words(`… and ${more} more`, 'caption')] : shown
  }
}

export interface Read {
  readonly component: Component
  readonly text: (key: string) => string
  readonly textFrom: (value: unknown) => string
  readonly value: (key: string) => unknown
  readonly resolve: (value: unknown) => unknown
  /** True when there is room left for a value. */
  readonly hasRoom: (value: unknown) => boolean
  readonly children: () => Block[]
  readonly byId: (id: unknown) => Block
  /** What assistive technologies are told. */
  readonly label: () => string
  readonly locale: string
  /** What an action of the component does; its `action` when none is given. */
  readonly action: (label: string, given?: unknown) => ChoiceAction | undefined
}

function words(text: string, style: TextStyle = 'body'): Block {
  return { kind: 'text', text, style }
}

const styles: ReadonlySet<string> = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'caption', 'body'])

function styleOf({ text }: Read): TextStyle {
  const variant = text('variant')
  return styles.has(variant) ? (variant as TextStyle) : 'body'
}

const readers: Readonly<Record<string, (read: Read) => Block>> = {
  Text: (read) => words(read.text('text'), styleOf(read)),
  Image: (read) => image(read),
  Icon: ({ value, label }) => {
    const name = value('name')
    return { kind: 'icon', label: label() || (typeof name === 'string' ? inWords(cleanText(name)) : '') }
  },
  Video: ({ text, label }) => ({ kind: 'link', label: label() || 'Video', url: text('url') }),
  AudioPlayer: ({ text }) => ({ kind: 'link', label: text('description') || 'Audio', url: text('url') }),
  Row: ({ component, children }) => ({
    kind: 'row',
    blocks: children(),
    isSpread: own(component, 'justify') === 'spaceBetween' || undefined,
  }),
  Column: ({ children }) => stack(children()),
  List: ({ children }) => ({ kind: 'list', items: children() }),
  Card: ({ component, byId }) => ({ kind: 'card', block: byId(own(component, 'child')) }),
  Tabs: ({ component, textFrom, byId }) =>
    stack(
      listIn(own(component, 'tabs')).map((tab) => ({
        kind: 'section',
        title: textFrom(own(tab, 'title')),
        block: byId(own(tab, 'child')),
      })),
    ),
  Modal: ({ component, byId }) => {
    const title = wordsOf(byId(own(component, 'trigger')))
    return { kind: 'section', title, block: byId(own(component, 'content')) }
  },
  Divider: () => ({ kind: 'divider' }),
  Button: ({ component, byId, label: accessible, action: actionOf }) => {
    const url = urlOf(own(component, 'action'))
    const content = byId(own(component, 'child'))
    // What is seen comes first: what is said in place of it could be something else.
    const [first, second] =
      content.kind === 'icon' ? [accessible(), wordsOf(content)] : [wordsOf(content), accessible()]
    const label = first || second || 'Button'
    const isPrimary = own(component, 'variant') === 'primary'
    // The accessible name may say more, such as of which thing it is; never something else.
    const action = actionOf(accessible().startsWith(label) ? accessible() : label)
    return { kind: 'button', label, isPrimary, ...defined({ url, action }) }
  },
  TextField: ({ component, text }) => {
    const isSecret = own(component, 'variant') === 'obscured'
    const value = text('value')
    return { kind: 'field', label: text('label'), value: isSecret && value !== '' ? '••••' : value }
  },
  CheckBox: ({ text, value }) => ({
    kind: 'choice',
    label: '',
    options: [{ label: text('label'), isChosen: value('value') === true }],
    isMultiple: true,
  }),
  ChoicePicker: (read) => choice(read),
  Slider: ({ text }) => ({
    kind: 'field',
    label: text('label'),
    value: `${text('value')} (${sliderRange(text('min') || '0', text('max'))})`,
  }),
  DateTimeInput: ({ component, text, locale }) => {
    const hasTime = own(component, 'enableTime') === true
    const hasDate = own(component, 'enableDate') === true || !hasTime
    const pattern = [hasDate ? 'd MMMM yyyy' : '', hasTime ? 'HH:mm' : ''].filter(Boolean).join(', ')
    return { kind: 'field', label: text('label'), value: formatDate(text('value'), pattern, locale) }
  },
}

/** A reader takes it for granted that what is counted begins at none or one. */
function sliderRange(min: string, max: string): string {
  return min === '0' || min === '1' ? `at most ${max}` : `from ${min} to ${max}`
}

function image({ component, text, label: accessible }: Read): Block {
  const label = text('description') || accessible()
  const variant = own(component, 'variant')
  // A picture that stands for nothing else says nothing in text form.
  if (label === '' && (variant === 'icon' || variant === 'avatar')) return nothing
  return { kind: 'image', label, url: text('url') }
}

function choice({ component, text, value, textFrom }: Read): Block {
  const given = value('value')
  const chosen: ReadonlySet<unknown> = new Set(Array.isArray(given) ? given : [given])
  const options = listIn(own(component, 'options')).map((option) => ({
    label: textFrom(own(option, 'label')),
    isChosen: chosen.has(own(option, 'value')),
  }))
  const isMultiple = own(component, 'variant') === 'multipleSelection'
  return { kind: 'choice', label: text('label'), options, isMultiple }
}

/** Of an unknown component: the texts that it is likely to show, or its name for assistive technologies, and what it refers to. */
function unknownComponent({ text, children, label }: Read): Block {
  const texts = ['title', 'label', 'text', 'description'].map(text).filter((one) => one !== '')
  return stack([...(texts.length === 0 ? [label()] : texts).map((one) => words(one)), ...children()])
}

function listIn(value: unknown): PlainObject[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : []
}
