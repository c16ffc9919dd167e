import { escapeHtml } from '@cool-ai/beach-core/runtime'

// A2UI's Text has simple Markdown: headings, lists, emphasis, code. This reads that much, and leaves the rest as it is.

const heading = /^ {0,3}(#{1,6})[ \t]+(.*)$/
const bullet = /^[ \t]*[-*+][ \t]+(.*)$/
const numbered = /^[ \t]*(\d{1,9})[.)][ \t]+(.*)$/
const fence = /^[ \t]*```[\w-]*[ \t]*$/
const inline =
  /\*\*([^*\n]+)\*\*|__([^_\n]+)__|(?<![\w*])\*([^*\s][^*\n]*)\*(?!\w)|(?<!\w)_([^_\s][^_\n]*)_(?!\w)|`([^`\n]+)`|\[([^[\]\n]*)\]\(([^()\s]*)\)/g

/** Markdown as plain text: without its marks, but with its lists. */
export function markdownToText(text: string): string {
  return text
    .split('\n')
    .filter((line) => !fence.test(line))
    .map((line) => plainLine(line))
    .join('\n')
    .trim()
}

function plainLine(line: string): string {
  const [, , title] = heading.exec(line) ?? []
  const [, item] = bullet.exec(line) ?? []
  if (item !== undefined) return `- ${plainInline(item)}`
  return plainInline(title ?? line)
}

function plainInline(text: string): string {
  return text.replaceAll(inline, (_, bold, bold2, italic, italic2, code, label?: string, url?: string) => {
    if (label !== undefined) return url === '' || url === label ? label : `${label} (${url})`
    return String(bold ?? bold2 ?? italic ?? italic2 ?? code)
  })
}

export function markdownToHtml(text: string): string {
  const lines: Line[] = []
  for (const line of text.split('\n')) if (!fence.test(line)) addLine(lines, line)
  return lines.map((line, index) => `${separator(lines[index - 1], line)}${lineHtml(line)}`).join('')
}

/** A line of text, or the items of a list. */
type Line = { readonly html: string } | { readonly tag: 'ul' | 'ol'; readonly start: string; readonly items: string[] }

function addLine(lines: Line[], line: string): void {
  const [, item] = bullet.exec(line) ?? []
  const [, first, step] = numbered.exec(line) ?? []
  const [, , title] = heading.exec(line) ?? []
  const member = item ?? step
  const last = lines.at(-1)
  if (member === undefined) {
    lines.push({ html: title === undefined ? inlineHtml(line) : `<strong>${inlineHtml(title)}</strong>` })
    return
  }
  const tag = item === undefined ? 'ol' : 'ul'
  if (last !== undefined && 'tag' in last && last.tag === tag) last.items.push(inlineHtml(member))
  else
    lines.push({
      tag,
      start: first === undefined || first === '1' ? '' : ` start="${first}"`,
      items: [inlineHtml(member)],
    })
}

function lineHtml(line: Line): string {
  if ('html' in line) return line.html
  return `<${line.tag}${line.start}>${line.items.map((item) => `<li>${item}</li>`).join('')}</${line.tag}>`
}

/** A list makes lines of its own. */
function separator(before: Line | undefined, line: Line): string {
  return before === undefined || 'tag' in before || 'tag' in line ? '' : '<br>'
}

function inlineHtml(text: string): string {
  let html = ''
  let at = 0
  for (const match of text.matchAll(inline)) {
    const [found, bold, bold2, italic, italic2, code, label, url] = match
    html += escapeHtml(text.slice(at, match.index))
    at = match.index + found.length
    if (label !== undefined) html += linkHtml(label || (url ?? ''), url ?? '')
    else if (code !== undefined) html += `<code>${escapeHtml(code)}</code>`
    else if (bold !== undefined || bold2 !== undefined) html += `<strong>${escapeHtml(bold ?? bold2 ?? '')}</strong>`
    else html += `<em>${escapeHtml(italic ?? italic2 ?? '')}</em>`
  }
  return html + escapeHtml(text.slice(at))
}

/** An address that may be linked to; undefined for all others, such as those that run something. */
export function safeUrl(url: string, schemes: readonly string[] = ['https:', 'http:', 'mailto:']): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, href } = new URL(url)
  return schemes.includes(protocol) ? href : undefined
}

/** A link, or its label alone when the address is none to be linked to. */
export function linkHtml(label: string, url: string, style = 'color:#0c6484'): string {
  const href = safeUrl(url)
  if (href === undefined) return escapeHtml(label)
  return `<a href="${escapeHtml(href)}" style="${style}" class="beach-link">${escapeHtml(label)}</a>`
}
