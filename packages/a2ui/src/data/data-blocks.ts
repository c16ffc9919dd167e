import { isPlainObject, type PlainObject } from '../plain.ts'
import { nothing, stack, type Block } from '../readable/block.ts'
import { itemOf } from '../readable/choices.ts'
import type { Choice, PartForm } from '@cool-ai/beach-core/registries'
import { inWords } from '@cool-ai/beach-core/runtime'
import { cleanText } from '../readable/clean-text.ts'
import { blocksToHtml } from '../readable/blocks-to-html.ts'
import { blocksToText } from '../readable/blocks-to-text.ts'
import { readableDate, readableDuration } from '../readable/readable-value.ts'

const maxRows = 100
const maxColumns = 8
const maxMembers = 100
const maxDepth = 6
const maxDetails = 12
const maxTextLength = 2_000

/** Data of which nothing more is known, as blocks: records as lists of their values, lists of records as tables. */
export function dataBlocks(data: unknown, depth = 0): Block {
  if (Array.isArray(data)) return listBlock(data, depth)
  if (isPlainObject(data)) return recordBlock(data, depth)
  return words(valueText(data))
}

/** A value that needs no lines of its own. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : plainText(value)
  return cleanText(text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text)
}

function plainText(value: unknown): string {
  if (typeof value === 'string') return readableDate(value)
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  return Array.isArray(value) ? value.map((item) => valueText(item)).join(', ') : ''
}

const minutesName = /(?:^minutes|(?<=[a-z\d])(?:In)?Minutes|_(?:in_)?minutes)$/

/** Whether a record's value is a time that is given in minutes, by its name: `minutes`, `delayMinutes`. */
function isMinutes(key: string, value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 && minutesName.test(key)
}

/** What a value is called; `delayMinutes` is a delay, and is told in hours too. */
function titleOf(key: string, values: readonly unknown[]): string {
  const isTime = values.every((value) => value === undefined || isMinutes(key, value))
  return cleanText(inWords(isTime ? key.replace(minutesName, '') || 'duration' : key))
}

function memberText(key: string, value: unknown): string {
  return isMinutes(key, value) ? readableDuration(value) : valueText(value)
}

/** True for what stands on one line: a text, a number, or a short list of them. */
export function isSimple(value: unknown): boolean {
  if (Array.isArray(value)) return value.length <= 12 && value.every((item) => typeof item !== 'object')
  return !isPlainObject(value)
}

/** The records of a list that can be a table: all of them flat, and with few columns. */
function tableColumns(rows: readonly PlainObject[]): string[] | undefined {
  const columns = new Set<string>()
  for (const row of rows.slice(0, maxRows)) {
    for (const [key, value] of Object.entries(row)) {
      if (!isSimple(value)) return undefined
      columns.add(key)
    }
    if (columns.size > maxColumns) return undefined
  }
  return columns.size === 0 ? undefined : [...columns]
}

function listBlock(items: readonly unknown[], depth: number): Block {
  const records = items.filter(isPlainObject)
  const columns = records.length === items.length && items.length > 0 ? tableColumns(records) : undefined
  const more = items.length - maxRows
  const rest = more > 0 ? [words(`… and ${more} more`)] : []
  const shown = items.slice(0, maxRows)
  if (columns === undefined) {
    return stack([{ kind: 'list', items: shown.map((item) => below(item, depth)) }, ...rest])
  }
  const rows = records.slice(0, maxRows).map((record) => columns.map((key) => memberText(key, record[key])))
  return stack([
    {
      kind: 'table',
      head: columns.map((key) =>
        titleOf(
          key,
          records.map((record) => record[key]),
        ),
      ),
      rows,
    },
    ...rest,
  ])
}

function recordBlock(record: PlainObject, depth: number): Block {
  const members = Object.entries(record).filter(([, value]) => value !== undefined && value !== null)
  const blocks = members.slice(0, maxMembers).map(([key, value]): Block => {
    const title = titleOf(key, [value])
    if (isSimple(value)) return { kind: 'field', label: title, value: memberText(key, value) || '–' }
    return { kind: 'section', title, block: below(value, depth) }
  })
  const more = members.length - blocks.length
  return stack(more > 0 ? [...blocks, words(`… and ${more} more`)] : blocks)
}

function below(value: unknown, depth: number): Block {
  if (isSimple(value)) return words(valueText(value))
  return depth >= maxDepth ? words('…') : dataBlocks(value, depth + 1)
}

function words(text: string): Block {
  return text === '' ? nothing : { kind: 'text', text, style: 'body', isLiteral: true }
}

/** The names of what a record is called, the best one first. */
const titles = ['title', 'name', 'label', 'subject', 'heading']

interface RecordList {
  /** The member that it is; undefined for data that is the list itself. */
  readonly key: string | undefined
  readonly records: readonly PlainObject[]
}

/** The list that a reader chooses from: the data itself, or the first list of records in it. */
function listIn(data: unknown): RecordList | undefined {
  const members = Array.isArray(data) ? [[undefined, data] as const] : isPlainObject(data) ? Object.entries(data) : []
  for (const [key, value] of members) {
    const records = Array.isArray(value) ? Array.from<unknown>(value.slice(0, maxRows)) : []
    if (records.length > 0 && records.every(isPlainObject)) return { key, records }
  }
  return undefined
}

/** A record as texts: what it is called, and then its values with their names. */
function recordItem(record: PlainObject): Block {
  const texts = Object.entries(record).map(([key, value]) => ({
    key,
    text: shortText(value),
    isText: typeof value === 'string',
  }))
  const shown = texts.filter(({ text }) => text !== '')
  const named = titles.flatMap((title) => shown.find(({ key }) => key.toLowerCase() === title) ?? [])
  const title = named[0] ?? shown.find(({ isText }) => isText) ?? shown[0]
  const rest = shown.filter((entry) => entry !== title).slice(0, maxDetails)
  return stack([title?.text ?? '–', ...rest.map(({ key, text }) => `${cleanText(inWords(key))}: ${text}`)].map(words))
}

/** A value as a few words: of a record its own values, such as an amount and its currency. */
function shortText(value: unknown): string {
  if (isSimple(value)) return valueText(value)
  if (!isPlainObject(value)) return ''
  return Object.values(value).filter(isSimple).map(valueText).filter(Boolean).join(' ')
}

function numberedBlocks(data: unknown, { firstNumber }: PartForm): Block {
  const list = listIn(data)
  if (list === undefined) return dataBlocks(data)
  const items = list.records.map((record, index): Block => {
    return { kind: 'item', number: firstNumber + index, block: recordItem(record) }
  })
  if (!isPlainObject(data)) return stack(items)
  return stack([dataBlocks(Object.fromEntries(Object.entries(data).filter(([key]) => key !== list.key))), ...items])
}

/** What lists of records let their reader choose: the first list's records. */
export function dataChoices(data: unknown): readonly Choice[] {
  return (listIn(data)?.records ?? []).map((record) => itemOf(recordItem(record)))
}

/** Any data in plain text: lists of records as tables, or numbered, records as lines, names in words. */
export function dataToText(data: unknown, form?: PartForm): string {
  return blocksToText(form === undefined ? dataBlocks(data) : numberedBlocks(data, form))
}

/** Data as HTML that people can read, escaped. */
export function dataToHtml(data: unknown, form?: PartForm): string {
  return blocksToHtml(form === undefined ? dataBlocks(data) : numberedBlocks(data, form), { form })
}
