import type { A2uiRenderer } from './renderer-options.ts'
import { createA2uiRenderer } from './renderer.ts'

let made: A2uiRenderer | undefined

/** Made on first use, when there is a page. */
function renderer(): A2uiRenderer {
  if (made !== undefined) return made
  const container = document.querySelector<HTMLElement>('[data-a2ui-surfaces]') ?? document.body
  made = createA2uiRenderer({
    container,
    onAction: (detail) => {
      container.dispatchEvent(new CustomEvent('a2ui-action', { detail, bubbles: true }))
    },
    onError: (detail) => {
      container.dispatchEvent(new CustomEvent('a2ui-error', { detail, bubbles: true }))
    },
  })
  return made
}

/**
 * The renderer of a page that needs only one: surfaces go into the element with `data-a2ui-surfaces`, or to the end of
 * the page; what buttons send are events `a2ui-action` of that element, and what goes wrong are events `a2ui-error`.
 */
export const a2uiRenderer: A2uiRenderer = {
  handle: (part) => renderer().handle(part),
  setState: (surfaceId, state, message) => renderer().setState(surfaceId, state, message),
  remove: (surfaceId) => renderer().remove(surfaceId),
  dispose: () => {
    made?.dispose()
    made = undefined
  },
}
