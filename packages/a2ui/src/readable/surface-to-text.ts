import type { Choice, PartForm } from '@cool-ai/beach-core/registries'
import type { A2uiCatalog } from '../catalogs/a2ui-catalog.ts'
import { knownCatalogs } from '../catalogs/known-catalogs.ts'
import { blocksToHtml, type HtmlOptions } from './blocks-to-html.ts'
import { blocksToText } from './blocks-to-text.ts'
import { inForm, numbered } from './choices.ts'
import { htmlFrom, textFrom } from './quotation.ts'
import { defaultLocale, surfaceBlocks, type SurfaceReading } from './surface-blocks.ts'

/** What surfaces show, in plain text: A2UI messages in any form. Empty when they show nothing in words. */
export function surfaceToText(messages: unknown, options: ReadableOptions = {}): string {
  return textFrom(blocksToText(inForm(surfaceBlocks(messages, readingOf(options)), options.form)), options.from)
}

/**
 * What surfaces let their reader choose: the things in their lists, and then the buttons that belong to none. Values that
 * a user could change on a surface are as the surface has them.
 */
export function surfaceChoices(
  messages: unknown,
  options: Omit<ReadableOptions, 'from' | 'form'> = {},
): readonly Choice[] {
  return numbered(surfaceBlocks(messages, readingOf(options))).choices
}

/**
 * What surfaces show, as HTML for mail: A2UI messages in any form. It runs nothing, links only to web and mail addresses,
 * and loads nothing unless images are allowed. Empty when they show nothing in words.
 */
export function surfaceToHtml(messages: unknown, options: ReadableOptions & HtmlOptions = {}): string {
  const blocks = inForm(surfaceBlocks(messages, readingOf(options)), options.form)
  return htmlFrom(blocksToHtml(blocks, options), options.from)
}

/** How a surface is put into a readable form. */
export interface ReadableOptions {
  /** For numbers, dates and plurals, such as `de-AT`; `en-US` when left out. */
  readonly locale?: string | undefined
  /** The other agent that the surfaces come from: they are quoted under its name. */
  readonly from?: string | undefined
  /** Catalogs besides the Basic Catalog: what their components show is told by their schemas. */
  readonly catalogs?: readonly A2uiCatalog[] | undefined
  /** The catalog of a surface that the messages do not create; the Basic Catalog when left out. */
  readonly catalogOf?: ((surfaceId: string) => string | undefined) | undefined
  /** Numbers what can be chosen by a reply. */
  readonly form?: PartForm | undefined
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
