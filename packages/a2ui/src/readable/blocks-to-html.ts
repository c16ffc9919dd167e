import type { PartForm } from '@cool-ai/beach-core/registries'
import { escapeHtml } from '@cool-ai/beach-core/runtime'
import { isEmpty, type Block, type Button, type TextStyle } from './block.ts'
import { apart, textsOf } from './choices.ts'
import { linkHtml, safeUrl, markdownToHtml } from './markdown.ts'

/** How readable blocks become HTML. */
export interface HtmlOptions {
  /** True to load images; else they are links, since a loaded image tells its sender who reads when. */
  readonly images?: boolean | undefined
  /** Where buttons are pressed; without it they are drawn, and do nothing. */
  readonly form?: PartForm | undefined
}

const maxHtmlLength = 1_000_000
const maxShortText = 24
const maxTableColumns = 4

// Mail has no style sheets that all programs read, so each element brings its own style. Where style sheets are read,
// the classes let a mail have dark colours. Tables lay out what other elements cannot in every mail program.
const page =
  'font-family:system-ui,-apple-system,Segoe UI,Roboto,Arial,sans-serif;font-size:15px;line-height:1.45;color:#1b2430'
const layout = 'role="presentation" cellpadding="0" cellspacing="0" border="0"'
const card = 'border:1px solid #e4e0d6;border-radius:12px;padding:12px 14px'
const buttonBase = 'display:inline-block;padding:8px 16px;font-weight:600;text-decoration:none'
const button = `${buttonBase};color:#1b2430`
const primaryButton = `${buttonBase};color:#ffffff`
const small = 'color:#565f6b;font-size:13px'
const cell = 'padding:4px 12px 4px 0;text-align:left;vertical-align:top'

const textStyles: Readonly<Record<TextStyle, readonly [tag: string, style: string]>> = {
  h1: ['h1', 'font-size:24px;line-height:1.25;margin:0 0 8px'],
  h2: ['h2', 'font-size:20px;line-height:1.25;margin:0 0 8px'],
  h3: ['h3', 'font-size:17px;line-height:1.3;margin:0 0 6px'],
  h4: ['h4', 'font-size:15px;line-height:1.3;margin:0 0 4px'],
  h5: ['h5', 'font-size:14px;line-height:1.3;margin:0 0 4px'],
  body: ['div', 'margin:0 0 4px'],
  caption: ['div', `margin:0 0 4px;${small}`],
}

/** Blocks as HTML for mail: styles with each element, nothing that runs, everything escaped. */
export function blocksToHtml(block: Block, options: HtmlOptions = {}): string {
  const html = htmlOf(block, options)
  if (html === '') return ''
  if (html.length > maxHtmlLength) return `<div style="${page}">This is too long to be shown here.</div>`
  return `<div class="beach-text" style="${page}">${html}</div>`
}

function htmlOf(block: Block, options: HtmlOptions): string {
  if (isEmpty(block)) return ''
  switch (block.kind) {
    case 'text': {
      const [tag, style] = textStyles[block.style]
      return `<${tag}${classOf(block)} style="${style}">${htmlText(block)}</${tag}>`
    }
    case 'stack':
      return block.blocks.map((member) => htmlOf(member, options)).join('')
    case 'row':
      return row(block, options)
    case 'list':
      return listHtml(block.items, options)
    case 'card':
      return cardHtml(htmlOf(block.block, options))
    case 'item':
      return itemHtml(block, options)
    case 'section':
      return `<div style="margin:0 0 8px"><strong>${escapeHtml(block.title)}</strong>${htmlOf(block.block, options)}</div>`
    case 'button':
      return buttonHtml(block, options)
    case 'link':
      return `<div style="margin:0 0 4px">${linkHtml(block.label, block.url)}</div>`
    case 'image':
      return imageHtml(block, options)
    case 'icon':
      return ''
    case 'field':
      return labelled(block.label, block.value === '' ? '____' : escapeHtml(block.value))
    case 'choice':
      return choiceHtml(block)
    case 'divider':
      return '<hr class="beach-line" style="border:0;border-top:1px solid #e4e0d6;margin:10px 0">'
    case 'table':
      return tableHtml(block.head, block.rows)
  }
}

function linesHtml(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>')
}

/**
 * Side by side. The first of a spread row takes the room that is left; short texts next to it stay on one line. Buttons, and
 * what is said of them, follow each other like words: cells would not fit on a phone.
 */
function row({ blocks, isSpread }: Extract<Block, { kind: 'row' }>, options: HtmlOptions): string {
  if (blocks.some(({ kind }) => kind === 'button') && blocks.every(isInline)) return inlineRow(blocks, options)
  const members = blocks
    .map((block) => ({
      html: htmlOf(block, options),
      isShort: textsOf(block).every((text) => text.length <= maxShortText),
    }))
    .filter(({ html }) => html !== '')
  if (members.length === 0) return ''
  const cells = members.map(({ html, isShort }, index) => {
    const isLast = index > 0 && index === members.length - 1
    const style = isLast ? cell.replace('padding:4px 12px 4px 0', 'padding:4px 0') : cell
    if (isSpread !== true) return `<td style="${style}">${html}</td>`
    if (index === 0) return `<td width="100%" style="${style};width:100%">${html}</td>`
    return `<td align="right" style="${style.replace('left', 'right')}${isShort ? ';white-space:nowrap' : ''}">${html}</td>`
  })
  const width = isSpread === true ? ' width="100%"' : ''
  return `<table ${layout}${width} style="border-collapse:collapse;margin:0 0 4px"><tr>${cells.join('')}</tr></table>`
}

function isInline({ kind }: Block): boolean {
  return kind === 'button' || kind === 'text' || kind === 'icon'
}

function inlineRow(blocks: readonly Block[], options: HtmlOptions): string {
  const members = blocks.map((block) => {
    if (block.kind !== 'text') return htmlOf(block, options)
    const [, style] = textStyles[block.style]
    return `<span${classOf(block)} style="${style.replace(/margin:[^;]*;?/, '')}">${htmlText(block)}</span> &nbsp;`
  })
  return `<div style="margin:0 0 6px">${members.join('')}</div>`
}

/** What is said in soft colours has other ones in the dark. */
function classOf({ style }: Extract<Block, { kind: 'text' }>): string {
  return style === 'caption' ? ' class="beach-minor"' : ''
}

function htmlText({ text, isLiteral }: Extract<Block, { kind: 'text' }>): string {
  return isLiteral === true ? linesHtml(text) : markdownToHtml(text.trim())
}

function cardHtml(html: string): string {
  return `<table ${layout} width="100%" style="border-collapse:separate;margin:0 0 10px"><tr><td class="beach-card" style="${card}">${html}</td></tr></table>`
}

/** A thing to choose, with its number before it, and its buttons below it: next to it there is no room on a phone. */
function itemHtml({ number, block }: Extract<Block, { kind: 'item' }>, options: HtmlOptions): string {
  const { rest, buttons } = apart(block.kind === 'card' ? block.block : block)
  const inside = htmlOf(rest, options) + buttons.map((one) => buttonHtml(one, options)).join('')
  const first = `<td class="beach-minor" style="padding:4px 10px 4px 0;vertical-align:top;${small};font-size:15px;white-space:nowrap">${number}.</td>`
  const html = `<table ${layout} width="100%" style="border-collapse:collapse"><tr>${first}<td width="100%" style="width:100%;vertical-align:top">${inside}</td></tr></table>`
  return block.kind === 'card' ? cardHtml(html) : html
}

function listHtml(items: readonly Block[], options: HtmlOptions): string {
  if (items.some(({ kind }) => kind === 'item')) return items.map((item) => htmlOf(item, options)).join('')
  const list = items.map((item) => htmlOf(item, options)).filter((html) => html !== '')
  return `<ul style="margin:0 0 8px;padding-left:20px">${list.map((html) => `<li>${html}</li>`).join('')}</ul>`
}

/** A button that opens an address, or that can be pressed at one, is a link. */
function buttonHtml({ label, url, action, number, isPrimary }: Button, { form }: HtmlOptions): string {
  const address = action === undefined ? url : form?.linkOf?.(action)
  const style = isPrimary === true ? primaryButton : button
  const isLinked = address !== undefined && safeUrl(address) !== undefined
  if (!isLinked && form !== undefined) {
    // It is pressed by a reply, or is one of the things that can be done with a thing that is chosen by a reply.
    return number === undefined
      ? ''
      : `<div style="margin:0 0 4px">[${number}] ${escapeHtml(action?.label ?? label)}</div>`
  }
  const inside = isLinked ? linkHtml(label, address, style) : `<span style="${style}">${escapeHtml(label)}</span>`
  const [name, colours] =
    isPrimary === true
      ? ['beach-primary', 'background:#0c6484;border:1px solid #0c6484']
      : ['beach-button', 'border:1px solid #8a8f96']
  return `<table ${layout} style="display:inline-table;vertical-align:middle;border-collapse:separate;margin:4px 8px 4px 0"><tr><td class="${name}" style="${colours};border-radius:20px;mso-padding-alt:8px 16px">${inside}</td></tr></table>`
}

function imageHtml({ label, url }: Extract<Block, { kind: 'image' }>, { images }: HtmlOptions): string {
  const source = safeUrl(url, ['https:', 'http:'])
  if (source === undefined)
    return label === '' ? '' : `<div class="beach-minor" style="${small}">${escapeHtml(label)}</div>`
  if (images !== true) return `<div style="margin:0 0 4px">${linkHtml(label || 'Image', source)}</div>`
  const style = 'max-width:100%;height:auto;border-radius:6px;margin:0 0 8px'
  return `<img src="${escapeHtml(source)}" alt="${escapeHtml(label)}" style="${style}">`
}

function labelled(label: string, html: string): string {
  const name = label.trim().replace(/:$/, '')
  const start = name === '' ? '' : `<span class="beach-minor" style="${small}">${escapeHtml(name)}:</span> `
  return `<div style="margin:0 0 4px">${start}${html}</div>`
}

function choiceHtml({ label, options, isMultiple }: Extract<Block, { kind: 'choice' }>): string {
  const [on, off] = isMultiple ? ['☑', '☐'] : ['◉', '○']
  const all = options.map((option) => `${option.isChosen ? on : off} ${escapeHtml(option.label)}`)
  return labelled(label, all.join(' &nbsp; '))
}

/** A table of few columns; one of many would be wider than a phone, so that each of its rows is a list of its own. */
function tableHtml(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (head.length > maxTableColumns) return rows.map((texts) => cardHtml(pairsHtml(head, texts))).join('')
  const cells = (tag: string, texts: readonly string[]) =>
    texts.map((text) => `<${tag} style="${cell}">${linesHtml(text)}</${tag}>`).join('')
  const body = rows.map((texts) => `<tr>${cells('td', texts)}</tr>`).join('')
  return `<table style="border-collapse:collapse;margin:0 0 8px"><thead><tr>${cells('th', head)}</tr></thead><tbody>${body}</tbody></table>`
}

function pairsHtml(head: readonly string[], texts: readonly string[]): string {
  return head.map((name, column) => (texts[column] ? labelled(name, linesHtml(texts[column])) : '')).join('')
}
