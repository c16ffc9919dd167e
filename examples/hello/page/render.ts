import type { StreamPart } from '@cool-ai/beach-protocol/stream'

/** A message that the server has not shown back yet. */
export interface Pending {
  readonly key: string
  readonly text: string
  problem?: string
}

/** Shows the parts, one paragraph each, changing only what has changed. Text is text: nothing is parsed as HTML. */
export function render(root: HTMLElement, parts: readonly StreamPart[], pending: readonly Pending[]): void {
  const atEnd = root.scrollHeight - root.scrollTop - root.clientHeight < 40
  const known = new Map([...root.querySelectorAll<HTMLElement>('.part')].map((node) => [node.dataset.id, node]))
  let last: Element | null = null
  const place = (id: string, classes: string, text: string) => {
    const node = known.get(id) ?? paragraph(id)
    known.delete(id)
    if (node.className !== classes) {
      node.className = classes
      // Screen readers wait for the end of a text that still grows.
      node.ariaBusy = String(node.classList.contains('open'))
    }
    if (node.textContent !== text) node.textContent = text
    const next: Element | null = last === null ? root.firstElementChild : last.nextElementSibling
    if (next !== node) root.insertBefore(node, next)
    last = node
  }
  for (const part of parts) place(part.partId, classesOf(part), textOf(part))
  for (const { key, text, problem } of pending) {
    place(key, 'part user pending', text)
    if (problem !== undefined) place(`${key}.problem`, 'part error', problem)
  }
  for (const gone of known.values()) gone.remove()
  if (atEnd) root.scrollTop = root.scrollHeight
}

function paragraph(id: string): HTMLElement {
  const node = document.createElement('p')
  node.dataset.id = id
  return node
}

function classesOf(part: StreamPart): string {
  const kind = part.role === 'user' ? 'user' : part.partType
  const open = part.open ? ' open' : ''
  const truncated = part.metadata.truncated === true ? ' truncated' : ''
  return `part ${kind}${open}${truncated}`
}

function textOf(part: StreamPart): string {
  return part.text ?? JSON.stringify(part.data, null, 2)
}
