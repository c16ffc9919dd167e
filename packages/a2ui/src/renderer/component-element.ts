import { ComponentContext, GenericBinder, type ComponentApi, type ComponentModel } from '@a2ui/web_core/v0_9'
import { LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { html, unsafeStatic } from 'lit/static-html.js'
import { changed, servicesOf, type SurfaceServices, type Watcher } from './surface-services.ts'
import { isPlainObject } from '../plain.ts'

/** The properties of a component, with everything that was bound resolved. Their types are as the data has them. */
type Props = Readonly<Record<string, unknown>>

export interface View<Local> {
  readonly props: Props
  readonly model: ComponentModel
  readonly surface: SurfaceServices
  readonly element: HTMLElement
  /** What this place on the page remembers by itself, such as which tab is shown. */
  readonly local: Local
  /** An id that nothing else in this surface has. */
  readonly id: (name: string) => string
  /** Remembers something else, and draws again. */
  readonly change: (local: Partial<Local>) => void
  readonly child: (reference: unknown) => unknown
  /** Shows a list of children, each in a wrapping of its own if there is one. */
  readonly children: (references: unknown, wrap?: (child: unknown) => TemplateResult) => unknown
  readonly find: (componentId: unknown) => ComponentModel | undefined
}

export interface ComponentKind extends ComponentApi {
  readonly tagName: string
  readonly define: () => void
}

interface Reference {
  readonly id: string
  readonly path: string
}

/** Makes a kind of component from a function of its view, as a custom element that draws into the surface’s tree. */
export function component<Local extends object>(
  { name, schema }: ComponentApi,
  local: () => Local,
  render: (view: View<Local>) => unknown,
  tagName = `beach-${name.toLowerCase()}`,
): ComponentKind {
  const define = () => {
    if (customElements.get(tagName) !== undefined) return
    customElements.define(
      tagName,
      class extends ComponentElement {
        readonly #local = local()

        protected override api() {
          return schema
        }

        protected override draw(base: Omit<View<Local>, 'local' | 'change'>): unknown {
          const change = (patch: Partial<Local>) => {
            Object.assign(this.#local, patch)
            this.requestUpdate()
          }
          return render({ ...base, local: this.#local, change })
        }
      },
    )
  }
  return { name, schema, tagName, define }
}

export function plainComponent(api: ComponentApi, render: (view: View<object>) => unknown): ComponentKind {
  return component(api, () => ({}), render)
}

abstract class ComponentElement extends LitElement implements Watcher {
  static override properties = { context: { attribute: false } }

  declare context: ComponentContext | undefined

  readonly #contexts = new Map<string, ComponentContext>()
  #shown = new Set<string>()
  #granted = 0
  #ownId = 0
  #props: Props = {}
  #release: (() => void) | undefined

  protected abstract api(): ComponentApi['schema']
  protected abstract draw(view: Omit<View<object>, 'local' | 'change'>): unknown

  /** No shadow tree of its own: ids must be found across the whole surface, so that labels can name fields. */
  protected override createRenderRoot() {
    return this
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#bind()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#unbind()
    this.#grant(0)
  }

  protected override willUpdate(changes: PropertyValues): void {
    if (changes.has('context')) this.#bind()
  }

  shows(componentId: string): boolean {
    return this.#shown.has(componentId)
  }

  /** Follows the data that the component is bound to. */
  #bind(): void {
    this.#unbind()
    const { context } = this
    if (context === undefined || !this.isConnected) return
    const { surface } = this.#scope(context)
    const binder = new GenericBinder<Props>(context, this.api())
    this.#props = binder.snapshot
    const props = binder.subscribe((value) => {
      this.#props = value
      this.requestUpdate()
    })
    surface.watchers.add(this)
    this.#release = () => {
      props.unsubscribe()
      surface.watchers.delete(this)
    }
    this.requestUpdate()
  }

  #unbind(): void {
    this.#release?.()
    this.#release = undefined
  }

  #scope(context: ComponentContext) {
    return { surface: servicesOf(context.dataContext.dataModel), path: context.dataContext.path }
  }

  protected override render(): unknown {
    const { context } = this
    if (context === undefined) return nothing
    const { surface } = this.#scope(context)
    this.#ownId ||= surface.nextId()
    this.#weigh()
    this.#shown = new Set()
    const wanted = { count: 0 }
    const drawn = this.draw({
      props: this.#props,
      model: context.componentModel,
      surface,
      element: this,
      id: (name) => `a2ui-${this.#ownId}-${name}`,
      child: (reference) => this.#children(context, [reference], wanted, undefined),
      children: (references, wrap) =>
        this.#children(context, Array.isArray(references) ? references : [], wanted, wrap),
      find: (id) => (typeof id === 'string' ? context.surfaceComponents.get(id) : undefined),
    })
    this.#grant(wanted.count)
    return drawn
  }

  /** A weight is how much of a row or column this takes. Set as a style of the element, which policies allow. */
  #weigh(): void {
    const { weight } = this.#props
    const isWeighed = typeof weight === 'number' && weight >= 0
    this.toggleAttribute('weighed', isWeighed)
    this.style.flex = isWeighed ? `${weight} 1 0` : ''
  }

  #children(
    context: ComponentContext,
    references: readonly unknown[],
    wanted: { count: number },
    wrap: ((child: unknown) => TemplateResult) | undefined,
  ): unknown {
    const { surface, path } = this.#scope(context)
    const known = references.flatMap((reference) => {
      const parsed = parseReference(reference, path)
      if (parsed !== undefined) this.#shown.add(parsed.id)
      return parsed !== undefined && this.#canShow(context, surface, parsed) ? [parsed] : []
    })
    const before = wanted.count
    wanted.count += known.length
    this.#grant(Math.max(this.#granted, wanted.count))
    const shown = known.slice(0, Math.max(0, this.#granted - before))
    const counts = new Map<string, number>()
    const keyed = shown.map((reference) => {
      const name = `${reference.id} ${reference.path}`
      const count = counts.get(name) ?? 0
      counts.set(name, count + 1)
      return { key: `${name} ${count}`, reference }
    })
    return repeat(
      keyed,
      ({ key }) => key,
      ({ key, reference }) => {
        const child = this.#element(context, key, reference)
        return wrap === undefined ? child : wrap(child)
      },
    )
  }

  #canShow(context: ComponentContext, surface: SurfaceServices, { id }: Reference): boolean {
    const model = context.surfaceComponents.get(id)
    if (model === undefined) return false
    if (this.#stands(id)) {
      surface.report(`The component '${id}' contains itself; it is shown only once.`)
      return false
    }
    return true
  }

  /** True when this element, or one around it, shows the component with this id. */
  #stands(id: string): boolean {
    if (this.context?.componentModel.id === id) return true
    for (let ancestor = this.parentElement; ancestor !== null; ancestor = ancestor.parentElement) {
      if (ancestor instanceof ComponentElement && ancestor.context?.componentModel.id === id) return true
    }
    return false
  }

  /** Keeps a child’s context for as long as its component stays: otherwise each update would draw the whole tree. */
  #element(context: ComponentContext, key: string, { id, path }: Reference): unknown {
    const known = this.#contexts.get(key)
    const { surface } = context.dataContext
    const child =
      known !== undefined && known.componentModel === context.surfaceComponents.get(id)
        ? known
        : new ComponentContext(surface, id, path)
    this.#contexts.set(key, child)
    const kind = surface.catalog.components.get(child.componentModel.type) as ComponentKind | undefined
    if (kind === undefined) return nothing
    return html`<${unsafeStatic(kind.tagName)} .context=${child}></${unsafeStatic(kind.tagName)}>`
  }

  /** Takes room for this many children from the surface, or gives back what is not needed. */
  #grant(count: number): void {
    const { context } = this
    if (context === undefined) return
    const { surface } = this.#scope(context)
    const granted = this.#granted + Math.min(count - this.#granted, surface.room)
    surface.room -= granted - this.#granted
    this.#granted = granted
    if (granted < count && !surface.full) {
      surface.full = true
      changed(surface)
      surface.report('This surface has more components than can be shown; the rest was left out.')
    }
  }
}

function parseReference(reference: unknown, path: string): Reference | undefined {
  if (typeof reference === 'string') return { id: reference, path }
  if (!isPlainObject(reference) || typeof reference.id !== 'string') return undefined
  return { id: reference.id, path: typeof reference.basePath === 'string' ? reference.basePath : path }
}
