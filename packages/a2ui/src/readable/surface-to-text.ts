import { blocksToText } from './blocks-to-text.ts'
import { surfaceBlocks } from './surface-blocks.ts'
import { blocksToHtml, type HtmlOptions } from './blocks-to-html.ts'

/** What surfaces show, in plain text: A2UI messages in any form. Empty when they show nothing in words. */
export function surfaceToText(messages: unknown, options: ReadableOptions = {}): string {
  return blocksToText(surfaceBlocks(messages, localeOf(options)))
}

/**
 * What surfaces show, as HTML for mail: A2UI messages in any form. It runs nothing, links only to web and mail addresses,
 * and loads nothing unless images are allowed. Empty when they show nothing in words.
 */
export function surfaceToHtml(messages: unknown, options: ReadableOptions & HtmlOptions = {}): string {
  return blocksToHtml(surfaceBlocks(messages, localeOf(options)), options)
}

export interface ReadableOptions {
  /** For numbers, dates and plurals, such as `de-AT`; `en-US` when left out. */
  readonly locale?: string
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
