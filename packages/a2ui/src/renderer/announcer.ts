/** Puts a live region into the tree that the surfaces stand in. What is said within one frame is said together. */
export function announcer(surface: Element | undefined) {
  const region = document.createElement('div')
  region.className = 'beach-a2ui-announcer'
  region.setAttribute('role', 'status')
  const tree = surface?.getRootNode()
  const place = tree instanceof ShadowRoot ? tree : document.body
  place.append(region)
  let waiting: string[] = []
  return {
    say(text: string): void {
      if (text === '') return
      if (waiting.length === 0) {
        requestAnimationFrame(() => {
          region.textContent = waiting.slice(-3).join('. ')
          waiting = []
        })
      }
      waiting.push(text)
    },
    dispose: () => region.remove(),
  }
}
