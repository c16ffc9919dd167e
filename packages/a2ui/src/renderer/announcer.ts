/** Announces texts to users of assistive technology. */
export interface Announcer {
  readonly say: (text: string) => void
  readonly dispose: () => void
}

/** Puts a live region into the page. What is said within one frame is said together. */
export function announcer(): Announcer {
  const region = document.createElement('div')
  region.className = 'beach-a2ui-announcer'
  region.setAttribute('role', 'status')
  document.body.append(region)
  let waiting: string[] = []
  return {
    say(text) {
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
