import { escapeHtml } from '@cool-ai/beach-core/runtime'
import { isEmpty, type Block, type TextStyle } from './block.ts'
import { linkHtml, safeUrl, markdownToHtml } from './markdown.ts'

export interface HtmlOptions {
  /** True to load images; else they are links, since a loaded image tells its sender who reads when. */
  readonly images?: boolean | undefined
}

const maxHtmlLength = 1_000_000

// Mail has no style sheets, so each element brings its own style.
const page =
  'font-family:system-ui,-apple-system,Segoe UI,Roboto,Arial,sans-serif;font-size:15px;line-height:1.45;color:#1f1f1f'
const card = 'border:1px solid #d0d4d9;border-radius:8px;padding:12px 16px;margin:0 0 12px'
const buttonBase = 'display:inline-block;padding:6px 14px;border-radius:6px;margin:4px 6px 4px 0;text-decoration:none'
const button = `${buttonBase};border:1px solid #5f6368;color:#1f1f1f`
const primaryButton = `${buttonBase};border:1px solid #0b57d0;background:#0b57d0;color:#ffffff`
const small = 'color:#5f6368;font-size:13px'
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
  return `<div style="${page}">${html}</div>`
}

function htmlOf(block: Block, options: HtmlOptions): string {
  if (isEmpty(block)) return ''
  switch (block.kind) {
    case 'text': {
      const [tag, style] = textStyles[block.style]
      const html = block.isLiteral === true ? linesHtml(block.text) : markdownToHtml(block.text.trim())
      return `<${tag} style="${style}">${html}</${tag}>`
    }
    case 'stack':
      return block.blocks.map((member) => htmlOf(member, options)).join('')
    case 'row':
      return row(block.blocks.map((member) => htmlOf(member, options)))
    case 'list':
      return `<ul style="margin:0 0 8px;padding-left:20px">${block.items.map((item) => listItem(item, options)).join('')}</ul>`
    case 'card':
      return `<div style="${card}">${htmlOf(block.block, options)}</div>`
    case 'section':
      return `<div style="margin:0 0 8px"><strong>${escapeHtml(block.title)}</strong>${htmlOf(block.block, options)}</div>`
    case 'button':
      return buttonHtml(block)
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
      return '<hr style="border:0;border-top:1px solid #d0d4d9;margin:10px 0">'
    case 'table':
      return tableHtml(block.head, block.rows)
  }
}

function linesHtml(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>')
}

/** Side by side; a table, because that is what all mail programs can lay out. */
function row(members: readonly string[]): string {
  const cells = members.filter((html) => html !== '').map((html) => `<td style="${cell}">${html}</td>`)
  if (cells.length === 0) return ''
  return `<table role="presentation" style="border-collapse:collapse;margin:0 0 4px"><tr>${cells.join('')}</tr></table>`
}

function listItem(item: Block, options: HtmlOptions): string {
  const html = htmlOf(item, options)
  return html === '' ? '' : `<li>${html}</li>`
}

/** A button that opens an address is a link; what any other would do cannot be done from here. */
function buttonHtml({ label, url, isPrimary }: Extract<Block, { kind: 'button' }>): string {
  const style = isPrimary === true ? primaryButton : button
  if (url !== undefined && safeUrl(url) !== undefined) return linkHtml(label, url, style)
  return `<span style="${style}">${escapeHtml(label)}</span>`
}

function imageHtml({ label, url }: Extract<Block, { kind: 'image' }>, { images }: HtmlOptions): string {
  const source = safeUrl(url, ['https:', 'http:'])
  if (source === undefined) return label === '' ? '' : `<div style="${small}">${escapeHtml(label)}</div>`
  if (images !== true) return `<div style="margin:0 0 4px">${linkHtml(label || 'Image', source)}</div>`
  const style = 'max-width:100%;height:auto;border-radius:6px;margin:0 0 8px'
  return `<img src="${escapeHtml(source)}" alt="${escapeHtml(label)}" style="${style}">`
}

function labelled(label: string, html: string): string {
  const name = label.trim().replace(/:$/, '')
  const start = name === '' ? '' : `<span style="${small}">${escapeHtml(name)}:</span> `
  return `<div style="margin:0 0 4px">${start}${html}</div>`
}

function choiceHtml({ label, options, isMultiple }: Extract<Block, { kind: 'choice' }>): string {
  const [on, off] = isMultiple ? ['☑', '☐'] : ['◉', '○']
  const all = options.map((option) => `${option.isChosen ? on : off} ${escapeHtml(option.label)}`)
  return labelled(label, all.join(' &nbsp; '))
}

function tableHtml(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: string, texts: readonly string[]) =>
    texts.map((text) => `<${tag} style="${cell}">${linesHtml(text)}</${tag}>`).join('')
  const body = rows.map((texts) => `<tr>${cells('td', texts)}</tr>`).join('')
  return `<table style="border-collapse:collapse;margin:0 0 8px"><thead><tr>${cells('th', head)}</tr></thead><tbody>${body}</tbody></table>`
}
