import type { A2uiCatalog } from '../catalogs/a2ui-catalog.ts'
import { knownCatalogs } from '../catalogs/known-catalogs.ts'
import { blocksToHtml, type HtmlOptions } from './blocks-to-html.ts'
import { blocksToText } from './blocks-to-text.ts'
import { htmlFrom, textFrom } from './quotation.ts'
import { defaultLocale, surfaceBlocks, type SurfaceReading } from './surface-blocks.ts'

/** What surfaces show, in plain text: A2UI messages in any form. Empty when they show nothing in words. */
export function surfaceToText(messages: unknown, options: ReadableOptions = {}): string {
  return textFrom(blocksToText(surfaceBlocks(messages, readingOf(options))), options.from)
}

/**
 * What surfaces show, as HTML for mail: A2UI messages in any form. It runs nothing, links only to web and mail addresses,
 * and loads nothing unless images are allowed. Empty when they show nothing in words.
 */
export function surfaceToHtml(messages: unknown, options: ReadableOptions & HtmlOptions = {}): string {
  return htmlFrom(blocksToHtml(surfaceBlocks(messages, readingOf(options)), options), options.from)
}

export interface ReadableOptions {
  /** For numbers, dates and plurals, such as `de-AT`; `en-US` when left out. */
  readonly locale?: string | undefined
  /** The other agent that the surfaces come from: they are quoted under its name. */
  readonly from?: string | undefined
  /** Catalogs besides the Basic Catalog: what their components show is told by their schemas. */
  readonly catalogs?: readonly A2uiCatalog[] | undefined
  /** The catalog of a surface that the messages do not create; the Basic Catalog when left out. */
  readonly catalogOf?: ((surfaceId: string) => string | undefined) | undefined
}

function readingOf({ catalogs, catalogOf, locale }: ReadableOptions): SurfaceReading {
  return { catalogs: knownCatalogs(catalogs), catalogOf, locale: localeOf(locale) }
}

/** A locale that can be used. */
function localeOf(locale = defaultLocale): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? defaultLocale
  } catch {
    return defaultLocale
  }
}
