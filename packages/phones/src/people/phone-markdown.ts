/** How a phone's messages mark text; without marks, words stay plain. */
export interface Marks {
  readonly bold: string
  readonly italic: string
  readonly strike: string
}

export const whatsAppMarks: Marks = { bold: '*', italic: '_', strike: '~' }
export const noMarks: Marks = { bold: '', italic: '', strike: '' }

const fence = /^\s{0,3}(?:`{3,}|~{3,})/
const link = /!?\[([^\]\n]{1,300})\]\(<?([^)\s>]{1,2000})>?(?: "[^"\n]{0,200}")?\)/g
const bold = /\*\*([^*\n]{1,500})\*\*|__([^_\n]{1,500})__/g
const italic = /(?<![\w*])\*([^*\s][^*\n]{0,500})\*(?![\w*])|(?<![\w_])_([^_\s][^_\n]{0,500})_(?![\w_])/g
const strike = /~~([^~\n]{1,500})~~/g

/** Markdown as a phone shows it: its own marks, addresses written out, headings in bold. Code is left as it is. */
export function phoneText(markdown: string, marks: Marks): string {
  let inCode = false
  return markdown
    .split('\n')
    .map((line) => {
      if (fence.test(line)) {
        inCode = !inCode
        return marks.bold === '' ? undefined : '```'
      }
      return inCode ? line : lineOf(line, marks)
    })
    .filter((line) => line !== undefined)
    .join('\n')
    .trim()
}

function lineOf(line: string, marks: Marks): string {
  const heading = /^\s{0,3}#{1,6}\s+(.*?)[\s#]*$/.exec(line.slice(0, 2_000))?.[1]
  if (heading !== undefined) return `${marks.bold}${inlineOf(heading.replaceAll('**', ''), marks)}${marks.bold}`
  return inlineOf(line.replace(/^(\s{0,6})[*+-]\s+/, '$1- '), marks)
}

function inlineOf(text: string, marks: Marks): string {
  return text
    .replaceAll(link, (_, words: string, address: string) => (words === address ? address : `${words} (${address})`))
    .replaceAll(italic, (_, one?: string, other?: string) => `${marks.italic}${one ?? other ?? ''}${marks.italic}`)
    .replaceAll(bold, (_, one?: string, other?: string) => `${marks.bold}${one ?? other ?? ''}${marks.bold}`)
    .replaceAll(strike, (_, words: string) => `${marks.strike}${words}${marks.strike}`)
}
