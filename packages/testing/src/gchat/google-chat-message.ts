import { StandInProblem } from '../stand-in/stand-in-server.ts'

interface GoogleButton {
  readonly text: string
  readonly disabled?: boolean
  readonly onClick?: {
    readonly action?: {
      readonly function?: string
      readonly parameters?: readonly { readonly key: string; readonly value: string }[]
    }
  }
}

interface GoogleWidget {
  readonly textParagraph?: { readonly text: string }
  readonly buttonList?: { readonly buttons: readonly GoogleButton[] }
}

interface GoogleCard {
  readonly card: {
    readonly header?: { readonly title?: string; readonly subtitle?: string }
    readonly sections?: readonly { readonly widgets?: readonly GoogleWidget[] }[]
  }
}

/** What an app sends of a message. */
export interface GoogleChatContent {
  readonly text?: string
  readonly cardsV2?: readonly GoogleCard[]
}

/** A message in a space of Google Chat. */
export interface GoogleChatMessage {
  /** Its resource name: `spaces/…/messages/…`. */
  readonly name: string
  readonly space: string
  readonly thread: string
  /** The person; undefined for the app itself. */
  readonly user?: string | undefined
  readonly at: number
  readonly text: string
  readonly cards: readonly GoogleCard[]
  /** The only person who sees it. */
  readonly onlyFor?: string | undefined
  readonly edits: number
}

/** A button of a card, with what its press brings. */
export interface GoogleChatButton {
  readonly label: string
  readonly invoked: string
  readonly parameters: Readonly<Record<string, string>>
}

const maxBytes = 32_000
const maxText = 4_096

/** What a reader sees of a message. */
export function googleChatText({ text, cards }: GoogleChatMessage): string {
  const shown = cards.flatMap(({ card }) => [
    card.header?.title ?? '',
    card.header?.subtitle ?? '',
    ...widgetsOf(card).map(({ textParagraph }) => unescaped(textParagraph?.text ?? '')),
  ])
  return [text, ...shown].filter((line) => line !== '').join('\n')
}

/** The buttons of a message. */
export function googleChatButtons({ cards }: Pick<GoogleChatMessage, 'cards'>): GoogleChatButton[] {
  const buttons = cards.flatMap(({ card }) => widgetsOf(card).flatMap(({ buttonList }) => buttonList?.buttons ?? []))
  return buttons.flatMap(({ text: label, disabled, onClick }) => {
    const { function: invoked, parameters = [] } = onClick?.action ?? {}
    if (invoked === undefined || disabled === true) return []
    return [{ label, invoked, parameters: Object.fromEntries(parameters.map(({ key, value }) => [key, value])) }]
  })
}

/** Refuses what is beyond the limits of Google Chat, as it does. */
export function checkGoogleChatMessage({ text = '', cardsV2 = [] }: GoogleChatContent, bytes: number): void {
  if (text === '' && cardsV2.length === 0) throw invalid('Message cannot be empty.')
  if (text.length > maxText) throw invalid(`Message text is too long: at most ${maxText} characters.`)
  if (bytes > maxBytes) throw invalid(`Message exceeds ${maxBytes} bytes.`)
  for (const { card } of cardsV2) {
    const sections = card.sections ?? []
    if (sections.length > 100 || sections.some(({ widgets = [] }) => widgets.length === 0 || widgets.length > 100)) {
      throw invalid('A card has 1 to 100 sections, and a section 1 to 100 widgets.')
    }
    const lists = widgetsOf(card).flatMap(({ buttonList }) => (buttonList === undefined ? [] : [buttonList.buttons]))
    if (lists.some((list) => list.length === 0 || list.some(({ text: label }) => label === ''))) {
      throw invalid('A list of buttons has buttons, and a button a text.')
    }
  }
}

function widgetsOf({ sections = [] }: GoogleCard['card']): GoogleWidget[] {
  return sections.flatMap(({ widgets = [] }) => widgets)
}

/** Texts of cards are a simple HTML. */
function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

/** A refusal of a request that is not as it should be. */
function invalid(why: string): StandInProblem {
  return new StandInProblem(400, 400, why)
}
