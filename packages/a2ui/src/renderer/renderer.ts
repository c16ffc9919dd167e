import { SurfaceModel, type A2uiClientAction, ComponentModel } from '@a2ui/web_core/v0_9'
import { knownCatalogs } from '../catalogs/known-catalogs.ts'
import {
  basicCatalogIds,
  type A2uiMessage,
  type A2uiVersion,
  type CreateSurface,
  type UpdateComponents,
  type UpdateDataModel,
} from '../messages.ts'
import { surfaceToText } from '../readable/surface-to-text.ts'
import type { A2uiValidateOptions } from '../validate/validate-a2ui.ts'
import { announcer } from './announcer.ts'
import { basicCatalog } from './catalog.ts'
import { drawableCatalog, type DrawableCatalog } from './custom-catalog.ts'
import { readSurfacePart, type SurfacePart } from './read-part.ts'
import type { A2uiRenderer, A2uiRendererOptions, SurfaceAction } from './renderer-options.ts'
import { sourcePolicy } from './safe-url.ts'
import { surfaceElement, type Surface, type SurfaceElement } from './surface-element.ts'
import { provideServices, servicesOf, type SurfaceState } from './surface-services.ts'

interface Shown {
  readonly element: SurfaceElement
  readonly surface: Surface | undefined
  readonly version: A2uiVersion
  readonly catalogId: string
  /** All that was said of a surface whose catalog is not known here: it is shown in words. */
  readonly said: A2uiMessage[]
  readonly slotKey: string | undefined
  readonly partId: string | undefined
}

// A surface that says more than this is not put into words any further.
const maxSaid = 500

/** Shows surfaces in an element of a page, and says what users do on them. */
export function createA2uiRenderer(options: A2uiRendererOptions): A2uiRenderer {
  return new Renderer(options)
}

class Renderer implements A2uiRenderer {
  readonly #options: A2uiRendererOptions
  readonly #source: (url: string) => string | undefined
  readonly #shown = new Map<string, Shown>()
  readonly #catalogs: ReadonlyMap<string, DrawableCatalog>
  readonly #reading: A2uiValidateOptions
  #announcer: ReturnType<typeof announcer> | undefined

  constructor(options: A2uiRendererOptions) {
    if (options.container === undefined && options.mount === undefined) {
      throw new TypeError('A renderer of surfaces needs to know where to put them: give it a container, or mount.')
    }
    this.#options = options
    this.#source = sourcePolicy(options.sources ?? [])
    const { catalogs = [] } = options
    this.#catalogs = new Map(catalogs.map((given) => [given.catalog.catalogId, drawableCatalog(given)]))
    const known = catalogs.map(({ catalog }) => catalog)
    // Throws now for what would otherwise fail with each part.
    knownCatalogs(known)
    this.#reading = {
      catalogs: known,
      catalogOf: (surfaceId) => this.#shown.get(surfaceId)?.catalogId ?? basicCatalogIds[0],
    }
  }

  readonly handle = (part: SurfacePart): void => {
    const { messages, problems, slotKey, partId, text } = readSurfacePart(part, this.#reading)
    for (const { surfaceId, path, problem } of problems) this.#fail([problem], surfaceId, path)
    const creates = messages.flatMap((message) => ('createSurface' in message ? [message.createSurface.surfaceId] : []))
    if (partId !== undefined && creates.some((id) => this.#shown.get(id)?.partId === partId)) return
    const places = this.#vacate(slotKey, creates)
    for (const message of messages) {
      try {
        this.#apply(message, { slotKey, partId, text, places })
      } catch (error) {
        this.#fail([error instanceof Error ? error.message : String(error)], surfaceIdOf(message))
      }
    }
    for (const place of places) place.remove()
  }

  readonly setState = (surfaceId: string, state: SurfaceState, message = ''): void => {
    this.#shown.get(surfaceId)?.element.setState(state, message)
    if (message !== '') this.#say(message)
  }

  readonly remove = (surfaceId: string): void => {
    this.#forget(surfaceId)?.remove()
  }

  readonly dispose = (): void => {
    for (const surfaceId of this.#shown.keys()) this.remove(surfaceId)
    this.#announcer?.dispose()
    this.#announcer = undefined
  }

  /** Takes the surfaces of a slot out of the books that others are to replace; their elements keep the place. */
  #vacate(slotKey: string | undefined, creates: readonly string[]): SurfaceElement[] {
    if (slotKey === undefined || creates.length === 0) return []
    const old = [...this.#shown].filter(([id, shown]) => shown.slotKey === slotKey && !creates.includes(id))
    return old.flatMap(([id]) => this.#forget(id) ?? [])
  }

  #forget(surfaceId: string): SurfaceElement | undefined {
    const shown = this.#shown.get(surfaceId)
    this.#shown.delete(surfaceId)
    shown?.surface?.dispose()
    return shown?.element
  }

  #apply(message: A2uiMessage, origin: Origin): void {
    if ('createSurface' in message) return this.#create(message.createSurface, message.version, origin)
    const surfaceId = surfaceIdOf(message)
    const shown = this.#shown.get(surfaceId)
    if (shown === undefined) {
      throw new Error(`There is no surface '${surfaceId}' here. Send createSurface before anything else about it.`)
    }
    if ('deleteSurface' in message) return this.remove(surfaceId)
    if (shown.surface === undefined) return this.#putIntoWords(shown, message)
    if (shown.element.dataset.state === 'busy') shown.element.setState('open', '')
    if ('updateComponents' in message) updateComponents(shown.surface, message.updateComponents)
    else updateDataModel(shown.surface, message.updateDataModel)
  }

  /** Of a surface whose catalog is not known here its words are shown, also when they change. */
  #putIntoWords({ element, said }: Shown, message: A2uiMessage): void {
    if (said.push(message) > maxSaid) return
    const words = surfaceToText(said, this.#reading)
    if (words !== '') element.fallback = words
  }

  #catalog(catalogId: string): DrawableCatalog | undefined {
    return basicCatalogIds.includes(catalogId) ? { model: basicCatalog() } : this.#catalogs.get(catalogId)
  }

  #create(created: CreateSurface, version: A2uiVersion, origin: Origin): void {
    const { surfaceId, catalogId, theme, sendDataModel } = created
    const element = surfaceElement()
    if (this.#options.theme !== undefined) element.dataset.theme = this.#options.theme
    element.dataset.state = 'open'
    const place = this.#forget(surfaceId) ?? origin.places.shift()
    const focused = place?.focused()
    const catalog = this.#catalog(catalogId)
    if (catalog === undefined) element.fallback = origin.text()
    else {
      const surface: Surface = new SurfaceModel(surfaceId, catalog.model, { ...theme }, sendDataModel ?? false)
      this.#follow(surface)
      element.surface = surface
      element.sheet = catalog.sheet?.()
    }
    const said = [{ version, createSurface: created }]
    this.#shown.set(surfaceId, { element, surface: element.surface, version, catalogId, said, ...origin })
    if (place === undefined) this.#placeFor(surfaceId, origin.slotKey).append(element)
    else place.replaceWith(element)
    requestAnimationFrame(() => {
      if (!element.isConnected) return
      if (focused !== undefined) element.focusOn(focused)
      this.#say(element.summary())
    })
  }

  #placeFor(surfaceId: string, slotKey: string | undefined): HTMLElement {
    const place = this.#options.mount?.(surfaceId, slotKey) ?? this.#options.container
    if (place === undefined) throw new Error(`There is no place for the surface '${surfaceId}'.`)
    return place
  }

  #follow(surface: Surface): void {
    const said = new Set<string>()
    const report = (message: string) => {
      if (said.has(message)) return
      said.add(message)
      this.#fail([message], surface.id)
    }
    const openUrl = this.#options.openUrl ?? ((url) => window.open(url, '_blank', 'noopener,noreferrer'))
    const { headingLevel = 2 } = this.#options
    provideServices(surface.dataModel, { surfaceId: surface.id, source: this.#source, openUrl, report, headingLevel })
    surface.onAction.subscribe((action) => this.#act(surface, action))
    surface.onError.subscribe((error) => report(error.message))
  }

  /** Sends an action. Until it is answered the surface sends no other, so that a second click does nothing. */
  #act(surface: Surface, action: A2uiClientAction): void {
    const shown = this.#shown.get(surface.id)
    if (shown?.surface !== surface || shown.element.dataset.state !== 'open') return
    shown.element.setState('busy', '')
    shown.element.endInput()
    const { version } = shown
    const dataModel = { version, surfaces: { [surface.id]: structuredClone(surface.dataModel.get('/') as unknown) } }
    const sent: SurfaceAction = {
      version,
      action: { ...action, context: structuredClone(action.context) },
      ...(surface.sendDataModel && { dataModel }),
    }
    try {
      this.#options.onAction(sent)?.then(
        () => this.#reopen(shown, ''),
        (error: unknown) => this.#refused(shown, surface.id, error),
      )
    } catch (error) {
      this.#refused(shown, surface.id, error)
    }
  }

  #reopen({ element }: Shown, message: string): void {
    if (element.dataset.state === 'busy') element.setState('open', message)
  }

  #refused(shown: Shown, surfaceId: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    this.#reopen(shown, reason)
    this.#say(reason)
    this.#fail([reason], surfaceId)
  }

  #say(text: string): void {
    this.#announcer ??= announcer([...this.#shown.values()].find(({ element }) => element.isConnected)?.element)
    this.#announcer.say(text)
  }

  #fail(problems: readonly string[], surfaceId?: string, path = '/'): void {
    const version = (surfaceId === undefined ? undefined : this.#shown.get(surfaceId)?.version) ?? 'v0.9'
    const error = { code: 'VALIDATION_FAILED', surfaceId: surfaceId ?? '', path, message: problems.join(' ') } as const
    this.#options.onError?.({
      ...(surfaceId !== undefined && { surfaceId }),
      problems,
      reply: { version, error },
    })
  }
}

/** What is known of the part that a surface comes with. */
interface Origin {
  readonly slotKey: string | undefined
  readonly partId: string | undefined
  readonly text: () => string
  /** Elements whose place new surfaces take. */
  readonly places: SurfaceElement[]
}

function surfaceIdOf(message: A2uiMessage): string {
  if ('createSurface' in message) return message.createSurface.surfaceId
  if ('updateComponents' in message) return message.updateComponents.surfaceId
  if ('updateDataModel' in message) return message.updateDataModel.surfaceId
  return message.deleteSurface.surfaceId
}

/** Adds components to a surface, or replaces those that have the same id. Only what shows them is drawn again. */
function updateComponents(surface: Surface, { components }: UpdateComponents): void {
  const model = surface.componentsModel
  const { watchers } = servicesOf(surface.dataModel)
  for (const { id, component, ...properties } of components) {
    if (model.get(id) !== undefined) model.removeComponent(id)
    model.addComponent(new ComponentModel(id, component, properties))
    for (const watcher of watchers) if (watcher.shows(id)) watcher.requestUpdate()
  }
}

/** Changes a surface’s data. The values are copied: the sender may keep using its own. */
function updateDataModel(surface: Surface, { path = '/', value }: UpdateDataModel): void {
  const copied: unknown = structuredClone(value)
  surface.dataModel.set(path === '' ? '/' : path, path === '/' || path === '' ? (copied ?? {}) : copied)
}
