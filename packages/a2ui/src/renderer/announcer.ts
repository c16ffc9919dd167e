/** Puts a live region into the page. What is said within one frame is said together. */
export function announcer() {
  const region = document.createElement('div')
  region.className = 'beach-a2ui-announcer'
  region.setAttribute('role', 'status')
  document.body.append(region)
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
