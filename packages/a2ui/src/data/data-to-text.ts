import { blocksToHtml } from '../readable/blocks-to-html.ts'
import { blocksToText } from '../readable/blocks-to-text.ts'
import { dataBlocks } from './data-blocks.ts'

/** Any data in plain text: lists of records as tables, records as lines, names in words. */
export function dataToText(data: unknown): string {
  return blocksToText(dataBlocks(data))
}

/** Any data as HTML for mail. */
export function dataToHtml(data: unknown): string {
  return blocksToHtml(dataBlocks(data))
}
