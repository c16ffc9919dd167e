import { blocksToHtml, type HtmlOptions } from './blocks-to-html.ts'
import { localeOf, type ReadableOptions } from './readable-options.ts'
import { surfaceBlocks } from './surface-blocks.ts'

/**
 * What surfaces show, as HTML for mail: A2UI messages in any form. It runs nothing, links only to web and mail addresses,
 * and loads nothing unless images are allowed. Empty when they show nothing in words.
 */
export function surfaceToHtml(messages: unknown, options: ReadableOptions & HtmlOptions = {}): string {
  return blocksToHtml(surfaceBlocks(messages, localeOf(options)), options)
}
