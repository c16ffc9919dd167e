import type { StreamPart } from '@cool-ai/beach-protocol/stream'
import { dataTable } from './data-table.ts'

/** How one part is shown: what it looks like, when that changes, and how it is drawn. */
export interface PartView {
  readonly classes: string
  /** Changes whenever it must be drawn anew. */
  readonly key: string
  readonly draw: (node: HTMLElement) => void
}

/** What a view may ask for. */
export interface PartActions {
  /** True while the approval can still be decided. */
  readonly isPending: (part: StreamPart) => boolean
  readonly decide: (approvalId: string, decision: 'granted' | 'denied') => void
}

/** The view of a part; undefined for parts that this page has no form for. Text is text: nothing is parsed as HTML. */
export function partView(part: StreamPart, actions: PartActions): PartView | undefined {
  if (part.role === 'user') return textView(part, 'user')
  switch (part.partType) {
    case 'a2ui-surface':
      return undefined
    case 'approval-request':
      return approvalView(part, actions)
    case 'progress':
      return progressView(part)
    case 'artifact':
      return artifactView(part)
    case 'citation':
      return citationView(part)
    case 'domain-data':
      return view('domain-data', JSON.stringify(part.data), (node) => node.replaceChildren(dataTable(part.data)))
    default:
      return textView(part, part.partType)
  }
}

function view(kind: string, key: string, draw: PartView['draw']): PartView {
  return { classes: `part ${kind}`, key, draw }
}

function textView(part: StreamPart, kind: string): PartView {
  const open = part.open ? ' open' : ''
  const truncated = part.metadata.truncated === true ? ' truncated' : ''
  const text = part.text ?? JSON.stringify(part.data, null, 2)
  return view(`${kind}${open}${truncated}`, text, (node) => {
    node.textContent = text
  })
}

function approvalView(part: StreamPart, actions: PartActions): PartView {
  const request = fields(part.data)
  const pending = actions.isPending(part)
  return view('approval', `${String(request.approvalId)} ${pending}`, (node) => {
    const list = document.createElement('dl')
    for (const [name, value] of Object.entries(fields(request.args))) {
      list.append(element('dt', name), element('dd', typeof value === 'string' ? value : JSON.stringify(value)))
    }
    const title = element('h2', `May I run ${String(request.toolName)}?`)
    if (!pending) return node.replaceChildren(title, list, element('p', 'This has been decided.'))
    const buttons = document.createElement('div')
    buttons.append(
      button('Approve', () => actions.decide(String(request.approvalId), 'granted')),
      button('Deny', () => actions.decide(String(request.approvalId), 'denied')),
    )
    node.replaceChildren(title, list, buttons)
  })
}

function progressView(part: StreamPart): PartView {
  const { label, done, total } = fields(part.data)
  return view('progress', JSON.stringify(part.data), (node) => {
    const bar = document.createElement('progress')
    bar.ariaLabel = String(label)
    if (typeof total === 'number') bar.max = total
    if (typeof done === 'number') bar.value = done
    node.replaceChildren(bar, element('span', String(label)))
  })
}

function artifactView(part: StreamPart): PartView {
  const { name, sizeBytes, url } = fields(part.data)
  const size = typeof sizeBytes === 'number' ? ` (${Math.max(1, Math.round(sizeBytes / 1_000))} kB)` : ''
  return view('artifact', JSON.stringify(part.data), (node) => {
    node.replaceChildren(link(textOr(name, 'File') + size, url))
  })
}

function citationView(part: StreamPart): PartView {
  const { title, url } = fields(part.data)
  return view('citation', JSON.stringify(part.data), (node) => {
    node.replaceChildren('Source: ', link(textOr(title, textOr(url, 'unknown')), url))
  })
}

/** A link, if it leads to this server or over https; otherwise its text alone. */
function link(text: string, url: unknown): HTMLElement {
  if (typeof url !== 'string' || !URL.canParse(url, location.href)) return element('span', text)
  const target = new URL(url, location.href)
  if (target.protocol !== 'https:' && target.origin !== location.origin) return element('span', text)
  const anchor = document.createElement('a')
  anchor.textContent = text
  anchor.href = target.href
  anchor.rel = 'noreferrer'
  if (target.origin !== location.origin) anchor.target = '_blank'
  return anchor
}

function button(text: string, onClick: () => void): HTMLElement {
  const made = document.createElement('button')
  made.type = 'button'
  made.textContent = text
  made.addEventListener('click', onClick)
  return made
}

function element(tag: string, text: string): HTMLElement {
  const made = document.createElement(tag)
  made.textContent = text
  return made
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
