import { A2uiSurface, basicCatalog } from '@a2ui/lit/v0_9'
import { MessageProcessor, type A2uiMessage } from '@a2ui/web_core/v0_9'

/** Shows messages by A2UI’s own renderer. */
function showStock(messages: readonly A2uiMessage[]): void {
  const processor = new MessageProcessor([basicCatalog])
  for (const message of messages) processor.processMessages([message])
  const surfaces = [...processor.model.surfacesMap.values()].map((surface) => {
    const element = new A2uiSurface()
    element.surface = surface
    return element
  })
  document.querySelector('main')?.replaceChildren(...surfaces)
}

Object.assign(globalThis, { showStock })
