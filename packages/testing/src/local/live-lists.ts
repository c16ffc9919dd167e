/**
 * The script of a page of local people: it looks for what has come since, and adds it. What the reader has written, or
 * opened, stays.
 */
export const liveLists = `
const note = document.querySelector('[role=status]')
setInterval(async () => {
  if (document.hidden) return
  const answer = await fetch(location.pathname).catch(() => undefined)
  note.textContent = answer === undefined
    ? 'The agent does not answer.'
    : answer.ok ? '' : 'The agent was started again. Open the link that its start has printed.'
  if (answer === undefined || !answer.ok) return
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
  for (const list of fresh.querySelectorAll('.live')) {
    const here = document.getElementById(list.id)
    for (const one of [...here.children]) if (fresh.getElementById(one.id) === null) one.remove()
    ;[...list.children].forEach((one, index) => {
      if (here.children[index]?.id !== one.id) here.insertBefore(one, here.children[index] ?? null)
    })
  }
}, 1_000)
`
