import { ComponentContext, type SurfaceModel } from '@a2ui/web_core/v0_9'
import { html, LitElement, nothing } from 'lit'
import { html as staticHtml, unsafeStatic } from 'lit/static-html.js'
import { brandColours } from './brand-colour.ts'
import type { ComponentKind } from './component-element.ts'
import { changed, servicesOf, type SurfaceState } from './surface-services.ts'
import { surfaceSheet } from './styles.ts'
import { adoptTheme } from './theme.ts'
import { spokenOf, textOf } from './values.ts'

export type Surface = SurfaceModel<ComponentKind>

const tagName = 'beach-surface'

type Contextual = Element & { readonly context?: ComponentContext }

/** One surface on the page. Its components are drawn into one shadow tree, which the page’s styles do not reach. */
export class SurfaceElement extends LitElement {
  static override properties = { surface: { attribute: false }, fallback: { attribute: false } }

  declare surface: Surface | undefined
  /** Shown in place of components that are not known here. */
  declare fallback: string | undefined
  /** Styles of what the catalog brings itself. */
  sheet: CSSStyleSheet | undefined
  #root: ComponentContext | undefined

  override connectedCallback(): void {
    super.connectedCallback()
    const tree = this.getRootNode()
    if (tree instanceof Document || tree instanceof ShadowRoot) adoptTheme(tree)
    if (this.surface !== undefined) servicesOf(this.surface.dataModel).watchers.add(this)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    if (this.surface !== undefined) servicesOf(this.surface.dataModel).watchers.delete(this)
  }

  protected override createRenderRoot(): ShadowRoot {
    const root = this.attachShadow({ mode: 'open', delegatesFocus: false })
    root.adoptedStyleSheets = [surfaceSheet(), ...(this.sheet === undefined ? [] : [this.sheet])]
    return root
  }

  shows(componentId: string): boolean {
    return componentId === 'root'
  }

  /** Says whether the surface can be used, and why not. */
  setState(state: SurfaceState, message: string): void {
    if (this.surface === undefined) return
    const services = servicesOf(this.surface.dataModel)
    services.state = state
    services.message = message
    this.dataset.state = state
    changed(services)
  }

  /** What was being filled in has been sent: it is no longer protected, and dialogs have done their work. */
  endInput(): void {
    if (this.surface === undefined) return
    const services = servicesOf(this.surface.dataModel)
    services.sent++
    services.attempted = false
    for (const dialog of this.renderRoot.querySelectorAll('dialog')) dialog.close()
  }

  /** The component that has the focus; the whole surface when it is none of them, and nothing when it is elsewhere. */
  focused(): string | undefined {
    const active = (this.renderRoot as ShadowRoot).activeElement
    if (active === null) return undefined
    for (let element: Element | null = active; element !== null; element = element.parentElement) {
      const id = (element as Contextual).context?.componentModel.id
      if (id !== undefined) return id
    }
    return ''
  }

  /** Gives the focus to a component, or to the surface when it has no such one. */
  focusOn(componentId: string): void {
    const all: Contextual[] = [...this.renderRoot.querySelectorAll('*')]
    const found = all.find(({ context }) => context?.componentModel.id === componentId)
    const control = found?.querySelector<HTMLElement>('button, input, textarea, [tabindex="0"]')
    const target = control ?? this.renderRoot.querySelector<HTMLElement>('.surface')
    target?.focus()
  }

  /** What the surface is about: its label, or else its first heading, or its first words. */
  summary(): string {
    const root = this.surface?.componentsModel.get('root')
    const { label } = spokenOf(root?.properties.accessibility)
    const shown = this.renderRoot.querySelector('.h1, .h2, .h3, .h4, .h5, .text, .fallback')?.textContent ?? ''
    return (label ?? shown).replaceAll(/\s+/g, ' ').trim().slice(0, 120)
  }

  protected override render(): unknown {
    if (this.fallback !== undefined) return html`<div class="surface"><p class="fallback">${this.fallback}</p></div>`
    const { surface } = this
    if (surface === undefined) return nothing
    const { message, full } = servicesOf(surface.dataModel)
    this.#paint(surface)
    return html`<div class="surface" role="group" tabindex="-1" aria-label=${this.#name(surface)}>
      ${agent(surface)}${this.#components(surface)}
      ${full ? html`<p class="caption">There is more than can be shown here.</p>` : nothing}
      ${message === '' ? nothing : html`<p class="state">${message}</p>`}
    </div>`
  }

  #components(surface: Surface): unknown {
    const model = surface.componentsModel.get('root')
    if (model === undefined) return nothing
    if (this.#root?.componentModel !== model) this.#root = new ComponentContext(surface, 'root', '/')
    const kind = surface.catalog.components.get(model.type)
    if (kind === undefined) return nothing
    return staticHtml`<${unsafeStatic(kind.tagName)} .context=${this.#root}></${unsafeStatic(kind.tagName)}>`
  }

  #name(surface: Surface): string | typeof nothing {
    return spokenOf(surface.componentsModel.get('root')?.properties.accessibility).label ?? nothing
  }

  /** The colour that the surface’s agent wants, made such that what is written in it can be read. */
  #paint(surface: Surface): void {
    const colours = brandColours((surface.theme as { primaryColor?: unknown } | undefined)?.primaryColor)
    if (colours === undefined) return
    this.style.setProperty('--_brand', colours.ground)
    this.style.setProperty('--_on-brand', colours.onGround)
    this.style.setProperty('--_brand-on-light', colours.textOnLight)
    this.style.setProperty('--_brand-on-dark', colours.textOnDark)
  }
}

/** Who the surface is from, as it says itself. */
function agent(surface: Surface): unknown {
  const theme = (surface.theme ?? {}) as { agentDisplayName?: unknown; iconUrl?: unknown }
  const name = textOf(theme.agentDisplayName)
  if (name === '') return nothing
  const source = servicesOf(surface.dataModel).source(textOf(theme.iconUrl))
  const icon = theme.iconUrl === undefined || source === undefined ? nothing : html`<img src=${source} alt="" />`
  return html`<p class="agent">${icon}<span>${name}</span></p>`
}

export function surfaceElement(): SurfaceElement {
  if (customElements.get(tagName) === undefined) customElements.define(tagName, SurfaceElement)
  return document.createElement(tagName) as SurfaceElement
}
