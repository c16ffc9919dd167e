import { isEmpty, type Block, type Button } from './block.ts'
import { textsOf } from './choices.ts'
import { safeUrl, markdownToText } from './markdown.ts'

const maxTableWidth = 100
const maxRowLength = 160
const maxInlineLines = 3
const maxItemLength = 200
const maxTextLength = 200_000

export function blocksToText(block: Block): string {
  const text = linesOf(block).join('\n').trim()
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text
}

function linesOf(block: Block): string[] {
  switch (block.kind) {
    case 'text':
      return (block.isLiteral === true ? block.text.trim() : markdownToText(block.text)).split('\n')
    case 'stack':
      return stacked(block.blocks)
    case 'row':
      return onOneLine(block.blocks)
    case 'list':
      return block.items
        .filter((item) => !isEmpty(item))
        .flatMap((item) => (item.kind === 'item' ? linesOf(item) : listItem(item)))
    case 'card':
      return linesOf(block.block)
    case 'section':
      return [...(block.title === '' ? [] : [prefix(block.title).trim()]), ...indented(linesOf(block.block))]
    case 'item':
      return itemLines(block.number, textsOf(block.block))
    case 'button':
      return [buttonLine(block)]
    case 'link':
      return [`${prefix(block.label)}${linked(block.url) || '(no address)'}`]
    case 'image':
      return [block.label === '' ? '[Image]' : `[Image: ${block.label}]`]
    case 'icon':
      return []
    case 'field':
      return [`${prefix(block.label)}${block.value || '____'}`]
    case 'choice':
      return [choiceLine(block)]
    case 'divider':
      return ['---']
    case 'table':
      return tableLines(block.head, block.rows)
  }
}

/** A thing to choose: on one line, unless it says a lot. Its buttons are what can be done once it is chosen. */
function itemLines(number: number, [title = '', ...rest]: readonly string[]): string[] {
  const line = `${number}. ${title}${rest.length === 0 ? '' : `: ${rest.join(', ')}`}`
  return line.length <= maxItemLength ? [line] : [`${number}. ${title}`, ...indented(rest)]
}

function buttonLine({ label, url, action, number }: Button): string {
  if (number !== undefined) return `[${number}] ${action?.label ?? label}`
  return url === undefined ? `[${label}]` : `[${label}] ${linked(url)}`.trim()
}

/** Blocks one below the other, with an empty line around those of several lines; buttons share a line. */
function stacked(blocks: readonly Block[]): string[] {
  const groups: { lines: string[]; kind: Block['kind'] }[] = []
  for (const block of inReadingOrder(blocks)) {
    const lines = linesOf(block)
    const last = groups.at(-1)
    if (lines.length === 0) continue
    if (block.kind === 'button' && last?.kind === 'button') last.lines = [`${last.lines.join(' ')} ${lines.join(' ')}`]
    else if (block.kind === 'item' && last?.kind === 'item') last.lines.push(...lines)
    else groups.push({ lines, kind: block.kind })
  }
  return groups.flatMap(({ lines, kind }, index) => {
    const before = groups[index - 1]
    const isApart = before !== undefined && (isLoose(before) || isLoose({ lines, kind }))
    return isApart ? ['', ...lines] : lines
  })
}

/** Numbered buttons come after the things whose numbers are lower, such as those that sort a list. */
function inReadingOrder(blocks: readonly Block[]): readonly Block[] {
  const last = blocks.findLastIndex(({ kind }) => kind === 'item')
  const [before, after] = [blocks.slice(0, last + 1), blocks.slice(last + 1)]
  return [...before.filter((block) => !isButtons(block)), ...before.filter(isButtons), ...after]
}

function isButtons(block: Block): boolean {
  if (block.kind === 'button') return block.number !== undefined
  return (
    block.kind === 'row' &&
    block.blocks.some(isButtons) &&
    block.blocks.every(({ kind }) => kind === 'button' || kind === 'text')
  )
}

function isLoose({ lines, kind }: { lines: readonly string[]; kind: Block['kind'] }): boolean {
  return lines.length > 1 && kind !== 'text'
}

function onOneLine(blocks: readonly Block[]): string[] {
  const all = blocks.map(linesOf).filter((lines) => lines.some((line) => line.trim() !== ''))
  const pieces = all.map((lines) => lines.map((line) => line.trim()).join(' '))
  if (all.every((lines) => lines.length === 1)) {
    return pieces.length === 0 ? [] : [pieces.reduce((line, piece) => `${line}${gap(line, piece)}${piece}`)]
  }
  const isShort = all.every((lines) => lines.length <= maxInlineLines && !lines.includes(''))
  const line = pieces.join(' | ')
  return isShort && line.length <= maxRowLength ? [line] : stacked(blocks)
}

/** Between sentences' pieces one space, between values two. */
function gap(before: string, after: string): string {
  return /[:(\-–—/$€£•·]$/.test(before) || /^[-–—:,.;!?%)°/•·]/.test(after) ? ' ' : '  '
}

function listItem(item: Block): string[] {
  const [first = '', ...rest] = linesOf(item)
  return [`- ${first}`, ...rest.map((line) => (line === '' ? '' : `  ${line}`))]
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => (line === '' ? '' : `  ${line}`))
}

function choiceLine({ label, options, isMultiple }: Extract<Block, { kind: 'choice' }>): string {
  const [open, close] = isMultiple ? ['[', ']'] : ['(', ')']
  const all = options.map((option) => `${open}${option.isChosen ? 'x' : ' '}${close} ${option.label}`).join('  ')
  return `${prefix(label)}${all}`
}

/** A label before what it is for. */
function prefix(label: string): string {
  const text = label.trim().replace(/:$/, '')
  return text === '' ? '' : `${text}: `
}

function linked(url: string): string {
  return safeUrl(url) ?? ''
}

/** A table with columns when it is narrow enough, else each row as a list of its own. */
function tableLines(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  const isNarrow = widths.reduce((sum, width) => sum + width + 2, 0) <= maxTableWidth
  if (isNarrow && !all.flat().some((cell) => cell.includes('\n'))) {
    return all.map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
  return rows.flatMap((row) => {
    const pairs = head.flatMap((name, column) => (row[column] === '' ? [] : [`${name}: ${row[column] ?? ''}`]))
    return pairs.map((pair, index) => `${index === 0 ? '- ' : '  '}${pair.replaceAll('\n', '\n  ')}`)
  })
}
