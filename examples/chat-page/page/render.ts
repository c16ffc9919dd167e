import type { StreamPart, StreamTurn } from '@cool-ai/beach-protocol/stream'
import { partView, type PartActions, type PartView } from './part-view.ts'

/** A message that the server has not shown back yet. */
export interface Pending {
  readonly key: string
  readonly text: string
  problem?: string
}

/** What is to be seen. */
export interface Scene {
  readonly parts: readonly StreamPart[]
  readonly turns: readonly StreamTurn[]
  readonly pending: readonly Pending[]
}

/** Shows the conversation, one block per part, changing only what has changed. */
export function render(root: HTMLElement, { parts, turns, pending }: Scene, actions: PartActions): void {
  const atEnd = root.scrollHeight - root.scrollTop - root.clientHeight < 40
  const known = new Map([...root.querySelectorAll<HTMLElement>('.part')].map((node) => [node.dataset.id, node]))
  let last: Element | null = null
  const place = (id: string, { classes, key, draw }: PartView) => {
    const node = known.get(id) ?? block(id)
    known.delete(id)
    if (node.className !== classes) {
      node.className = classes
      // Screen readers wait for the end of a text that still grows.
      node.ariaBusy = String(node.classList.contains('open'))
    }
    if (node.dataset.key !== key) {
      node.dataset.key = key
      draw(node)
    }
    const next: Element | null = last === null ? root.firstElementChild : last.nextElementSibling
    if (next !== node) root.insertBefore(node, next)
    last = node
  }
  for (const part of withoutOldProgress(parts, turns)) {
    const view = partView(part, actions)
    if (view !== undefined) place(part.partId, view)
  }
  for (const { key, text, problem } of pending) {
    place(key, textBlock('user pending', text))
    if (problem !== undefined) place(`${key}.problem`, textBlock('error', problem))
  }
  for (const gone of known.values()) gone.remove()
  if (atEnd) root.scrollTop = root.scrollHeight
}

/** Of a turn's progress only the latest counts, and only while the turn goes on. */
function withoutOldProgress(parts: readonly StreamPart[], turns: readonly StreamTurn[]): StreamPart[] {
  const running = new Set(turns.filter((turn) => !turn.settled).map((turn) => turn.turnId))
  const latest = new Map(parts.filter(isProgress).map((part) => [part.turnId, part.partId]))
  return parts.filter(
    (part) => !isProgress(part) || (running.has(part.turnId ?? '') && latest.get(part.turnId) === part.partId),
  )
}

function isProgress(part: StreamPart): boolean {
  return part.partType === 'progress'
}

function textBlock(kind: string, text: string): PartView {
  return {
    classes: `part ${kind}`,
    key: text,
    draw: (node) => {
      node.textContent = text
    },
  }
}

function block(id: string): HTMLElement {
  const node = document.createElement('div')
  node.dataset.id = id
  return node
}
