import {
  a2uiRenderer,
  createA2uiRenderer,
  type A2uiRenderer,
  type A2uiRendererOptions,
  type SurfaceAction,
  type SurfaceError,
  type SurfacePart,
} from '@cool-ai/beach-a2ui/renderer'
import { harbour, unusable } from './harbour.ts'

/** What a page is shown with; functions cannot be given from outside, so the catalog of the page's own has a name. */
type ShowOptions = Partial<A2uiRendererOptions> & { readonly hasHarbour?: boolean }

/** What tests find in the page. */
export interface TestPage {
  readonly a2uiRenderer: A2uiRenderer
  /** Shows parts with a renderer of their own; actions are answered when the test says so. */
  readonly show: (parts: readonly SurfacePart[], options?: ShowOptions) => A2uiRenderer
  /** Why no renderer can be made with the catalogs of this name. */
  readonly refusal: (name: string) => string
  renderer: A2uiRenderer | undefined
  readonly actions: SurfaceAction[]
  readonly errors: SurfaceError[]
  readonly opened: string[]
  readonly violations: string[]
  /** Settles the promise of the last action. */
  answer: (problem?: string) => void
}

const page: TestPage = {
  a2uiRenderer,
  renderer: undefined,
  actions: [],
  errors: [],
  opened: [],
  violations: [],
  answer: () => {},
  refusal(name) {
    try {
      createA2uiRenderer({ container: document.body, onAction: () => {}, catalogs: unusable[name] ?? [] })
      return ''
    } catch (error) {
      return String(error)
    }
  },
  show(parts, { hasHarbour = false, ...options } = {}) {
    page.renderer?.dispose()
    const container = document.querySelector<HTMLElement>('#surfaces') ?? document.body
    page.renderer = createA2uiRenderer({
      container,
      onAction: (action) => {
        page.actions.push(action)
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        page.answer = (problem) => (problem === undefined ? resolve() : reject(new Error(problem)))
        return promise
      },
      onError: (error) => page.errors.push(error),
      openUrl: (url) => page.opened.push(url),
      catalogs: hasHarbour ? [harbour] : [],
      ...options,
    })
    for (const part of parts) page.renderer.handle(part)
    return page.renderer
  },
}

document.addEventListener('securitypolicyviolation', (event) => {
  page.violations.push(`${event.violatedDirective}: ${event.blockedURI}`)
})
Object.assign(globalThis, { page })
