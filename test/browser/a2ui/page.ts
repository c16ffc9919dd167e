import {
  a2uiRenderer,
  createA2uiRenderer,
  type A2uiRenderer,
  type A2uiRendererOptions,
  type SurfaceAction,
  type SurfaceError,
  type SurfacePart,
} from '@cool-ai/beach-a2ui/renderer'

/** What tests find in the page. */
export interface TestPage {
  readonly a2uiRenderer: A2uiRenderer
  /** Shows parts with a renderer of their own; actions are answered when the test says so. */
  readonly show: (parts: readonly SurfacePart[], options?: Partial<A2uiRendererOptions>) => A2uiRenderer
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
  show(parts, options) {
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
