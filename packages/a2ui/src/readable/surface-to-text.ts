import { escapeHtml } from '@cool-ai/beach-core/runtime'
import { blocksToHtml, type HtmlOptions } from './blocks-to-html.ts'
import { blocksToText } from './blocks-to-text.ts'
import { surfaceBlocks } from './surface-blocks.ts'

/** What surfaces show, in plain text: A2UI messages in any form. Empty when they show nothing in words. */
export function surfaceToText(messages: unknown, options: ReadableOptions = {}): string {
  const text = blocksToText(surfaceBlocks(messages, localeOf(options)))
  if (text === '' || options.from === undefined) return text
  const quoted = text.split('\n').map((line) => (line === '' ? '>' : `> ${line}`))
  return [`From ${options.from}:`, ...quoted].join('\n')
}

const quote = 'border-left:3px solid #d0d4d9;padding:0 0 0 12px;margin:0 0 12px'
const heading = 'margin:0 0 6px;color:#5f6368'

/**
 * What surfaces show, as HTML for mail: A2UI messages in any form. It runs nothing, links only to web and mail addresses,
 * and loads nothing unless images are allowed. Empty when they show nothing in words.
 */
export function surfaceToHtml(messages: unknown, options: ReadableOptions & HtmlOptions = {}): string {
  const html = blocksToHtml(surfaceBlocks(messages, localeOf(options)), options)
  if (html === '' || options.from === undefined) return html
  return `<div style="${quote}"><p style="${heading}">From ${escapeHtml(options.from)}:</p>${html}</div>`
}

export interface ReadableOptions {
  /** For numbers, dates and plurals, such as `de-AT`; `en-US` when left out. */
  readonly locale?: string
  /** The other agent that the surfaces come from: they are quoted under its name. */
  readonly from?: string | undefined
}

const usual = 'en-US'

/** A locale that can be used. */
function localeOf({ locale = usual }: ReadableOptions): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? usual
  } catch {
    return usual
  }
}
