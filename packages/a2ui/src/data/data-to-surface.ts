import { ui } from '../builder/ui.ts'
import type { UiNode } from '../builder/node.ts'
import type { A2uiMessage } from '../messages.ts'
import { isPlainObject, type PlainObject } from '../plain.ts'
import { cleanText } from '../readable/clean-text.ts'
import { inWords } from '../readable/in-words.ts'
import { isSimple, tableColumns, valueText } from './data-blocks.ts'

const maxValues = 400
const maxItems = 50
const maxDepth = 6

export interface DataSurfaceOptions {
  /** `data` when left out. */
  readonly surfaceId?: string
  /** Stands above the data. */
  readonly title?: string
}

/** A surface for data of which nothing more is known; what is too much for one is counted instead of shown. */
export function dataToSurface(data: unknown, { surfaceId = 'data', title }: DataSurfaceOptions = {}): A2uiMessage[] {
  const shown = new DataNodes().of(data, 0)
  const heading = title === undefined ? [] : [ui.text(title, { variant: 'h3' })]
  return ui.surface({ surfaceId, root: ui.card(ui.column(...heading, shown)) })
}

/** Makes nodes of data until there are enough of them. */
class DataNodes {
  #left = maxValues

  of(data: unknown, depth: number): UiNode {
    if (isSimple(data)) return this.#text(valueText(data))
    if (depth > maxDepth) return ui.text('…')
    return Array.isArray(data) ? this.#list(data, depth) : this.#record(isPlainObject(data) ? data : {}, depth)
  }

  #text(text: string): UiNode {
    this.#left--
    return ui.text(text === '' ? '–' : text)
  }

  #record(record: PlainObject, depth: number): UiNode {
    const members = Object.entries(record).filter(([, value]) => value !== undefined && value !== null)
    return ui.column(
      ...this.#some(members, ([key, value]) => {
        const label = cleanText(inWords(key))
        if (isSimple(value)) return ui.row(ui.text(label, { variant: 'caption' }), this.#text(valueText(value)))
        return ui.column(ui.text(label, { variant: 'h5' }), this.of(value, depth + 1))
      }),
    )
  }

  #list(items: readonly unknown[], depth: number): UiNode {
    const records = items.filter(isPlainObject)
    const columns = records.length === items.length ? tableColumns(records) : undefined
    if (columns === undefined) return ui.list(...this.#some(items, (item) => this.of(item, depth + 1)))
    const row = (texts: readonly string[], variant: 'caption' | 'body') =>
      ui.row(...texts.map((text) => ui.text(text === '' ? '–' : text, { variant, weight: 1 })))
    const head = row(
      columns.map((key) => cleanText(inWords(key))),
      'caption',
    )
    const rows = this.#some(records, (record) => {
      this.#left -= columns.length
      return row(
        columns.map((key) => valueText(record[key])),
        'body',
      )
    })
    return ui.column(head, ...rows)
  }

  /** As many as there is room for, and how many more there are. */
  #some<Item>(items: readonly Item[], make: (item: Item) => UiNode): UiNode[] {
    const nodes: UiNode[] = []
    for (const item of items) {
      if (nodes.length >= maxItems || this.#left <= 0) break
      nodes.push(make(item))
    }
    const more = items.length - nodes.length
    return more > 0 ? [...nodes, ui.text(`… and ${more} more`, { variant: 'caption' })] : nodes
  }
}
