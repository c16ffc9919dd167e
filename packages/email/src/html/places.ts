import { declaredIn, type Declarations, type StyleSheet } from './css.ts'
import { canBeRead, isNeverShown, isTakenAway, lookIn, pageLook, type Look } from './look.ts'
import type { Element } from './page.ts'

/** What holds for the words in an element. */
export interface ElementText {
  readonly look: Look
  /** Whether words here are none of the page's, such as those of a style sheet. */
  readonly isNeverShown: boolean
  /** How many elements around quote. */
  readonly quotes: number
}

/** What an element's tag says, and the style sheets of it. */
interface Tag {
  readonly attributes: ReadonlyMap<string, string>
  readonly declared: Declarations
  readonly isTakenAway: boolean
  readonly isNeverShown: boolean
  readonly isQuote: boolean
}

export const pagePlace: ElementText = { look: pageLook, isNeverShown: false, quotes: 0 }

/** Where mail programs put what they quote, forward, or sign with. */
const quoting =
  /\b(?:gmail_quote(?:_container)?|gmail_attr|gmail_signature|gmail_extra|moz-cite-prefix|moz-forward-container|moz-signature|yahoo_quoted|protonmail_quote|protonmail_signature_block|zmail_extra|tutanota_quote|front-blockquote|olk_src_body_section|divrplyfwdmsg|appendonsend|mail-editor-reference-message-container|ms-outlook-mobile-signature|signature_marker)\b/
/** Everything that comes after these is quoted. */
const quotesRest = /^(?:divrplyfwdmsg|appendonsend|mail-editor-reference-message-container)$/

/** Whether a reader sees words at a place. */
export function isSeen(place: ElementText): boolean {
  return !place.isNeverShown && canBeRead(place.look)
}

/** Tells what holds for the words in the elements of a page, in their order. */
export class Places {
  readonly #sheet: StyleSheet
  /** By attributes: elements that the parser makes of one tag share them. */
  readonly #tags = new Map<unknown, Tag>()
  #restIsQuoted = false

  constructor(sheet: StyleSheet) {
    this.#sheet = sheet
  }

  /** How deep words are quoted at a place, which the walk has come to. */
  quotes(place: ElementText): number {
    return place.quotes + (this.#restIsQuoted ? 1 : 0)
  }

  in(element: Element, around: ElementText): ElementText {
    const tag = this.#tagOf(element)
    const look = lookIn(around.look, tag.declared, tag.attributes)
    if (quotesRest.test(tag.attributes.get('id')?.toLowerCase() ?? '')) this.#restIsQuoted = true
    return {
      look: tag.isTakenAway ? { ...look, isGone: true } : look,
      isNeverShown: around.isNeverShown || tag.isNeverShown,
      quotes: around.quotes + (tag.isQuote ? 1 : 0),
    }
  }

  #tagOf({ tagName, attrs }: Element): Tag {
    const key = attrs.length === 0 ? tagName : attrs
    const known = this.#tags.get(key)
    if (known !== undefined) return known
    const attributes = new Map(attrs.map(({ name, value }) => [name, value]))
    const sheets = this.#sheet.for(tagName, attributes)
    const own = declaredIn(attributes.get('style') ?? '')
    const mark = `${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`.toLowerCase()
    const declared = new Map([...sheets.all, ...own.all, ...sheets.important, ...own.important])
    const tag = {
      attributes,
      declared,
      isTakenAway: sheets.isTakenAway || isTakenAway(declared),
      isNeverShown: isNeverShown(tagName, attributes),
      isQuote: tagName === 'blockquote' || quoting.test(mark),
    }
    this.#tags.set(key, tag)
    return tag
  }
}
