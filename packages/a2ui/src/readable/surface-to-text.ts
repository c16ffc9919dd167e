import { blocksToText } from './blocks-to-text.ts'
import { localeOf, type ReadableOptions } from './readable-options.ts'
import { surfaceBlocks } from './surface-blocks.ts'

/** What surfaces show, in plain text: A2UI messages in any form. Empty when they show nothing in words. */
export function surfaceToText(messages: unknown, options: ReadableOptions = {}): string {
  return blocksToText(surfaceBlocks(messages, localeOf(options)))
}
