import { StandInProblem } from '../stand-in/stand-in-server.ts'

/** A block of a Slack message, as far as a reader sees it. */
export interface SlackBlock {
  readonly type: string
  readonly text?: { readonly type: string; readonly text: string }
  readonly elements?: readonly SlackElement[]
}

interface SlackElement {
  readonly type: string
  readonly text?: string | { readonly type: string; readonly text: string }
  readonly action_id?: string
  readonly value?: string
}

/** A message in a channel of Slack, or one that only `onlyFor` sees. */
export interface SlackMessage {
  readonly channel: string
  readonly ts: string
  readonly thread?: string | undefined
  readonly user: string
  readonly text: string
  readonly blocks: readonly SlackBlock[]
  readonly onlyFor?: string | undefined
  readonly file?: { readonly name: string; readonly bytes: Buffer } | undefined
  readonly edits: number
}

/** A button of a Slack message. */
export interface SlackButton {
  readonly label: string
  readonly actionId: string
  readonly value: string | undefined
}

/** What a reader sees of a message. */
export function slackText({ text, blocks, file }: SlackMessage): string {
  if (file !== undefined) return [text, file.name].filter((line) => line !== '').join('\n')
  if (blocks.length === 0) return unescaped(text)
  return blocks.flatMap((block) => unescaped(textsOf(block).join('\n'))).join('\n')
}

/** The buttons of a message. */
export function slackButtons({ blocks }: SlackMessage): SlackButton[] {
  return blocks.flatMap(({ elements = [] }) =>
    elements.flatMap(({ type, text, action_id: actionId = '', value }) => {
      const label = typeof text === 'string' ? text : text?.text
      return type === 'button' && label !== undefined ? [{ label, actionId, value }] : []
    }),
  )
}

function textsOf({ text, elements = [] }: SlackBlock): string[] {
  const inner = elements.flatMap(({ text: words }) => (typeof words === 'string' ? words : (words?.text ?? [])))
  return [...(text === undefined ? [] : [text.text]), ...inner]
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

/** Refuses a message as Slack does, when it is beyond what Slack takes. */
export function checkSlackMessage(text: string, markdown: string | undefined, blocks: readonly SlackBlock[]): void {
  if (markdown !== undefined && (text !== '' || blocks.length > 0)) throw refusal('markdown_text_conflict')
  if (markdown !== undefined && markdown.length > 12_000) throw refusal('msg_too_long')
  if (text.length > 40_000) throw refusal('msg_too_long')
  if (text === '' && (markdown ?? '') === '' && blocks.length === 0) throw refusal('no_text')
  if (blocks.length > 50 || !blocks.every((block) => isValid(block))) throw refusal('invalid_blocks')
  const ids = blocks.flatMap(({ elements = [] }) => elements.flatMap(({ action_id: id }) => id ?? []))
  if (new Set(ids).size !== ids.length) throw refusal('invalid_blocks')
}

function isValid({ type, text, elements = [] }: SlackBlock): boolean {
  const { length } = text?.text ?? ''
  switch (type) {
    case 'section':
      return length >= 1 && length <= 3_000
    case 'header':
      return length >= 1 && length <= 150 && text?.type === 'plain_text'
    case 'actions':
      return elements.length >= 1 && elements.length <= 25 && elements.every((element) => isValidButton(element))
    case 'context':
      return elements.length >= 1 && elements.length <= 10
    default:
      return type === 'divider' || type === 'image' || type === 'markdown' || type === 'rich_text'
  }
}

function isValidButton({ type, text, action_id: id = '', value = '' }: SlackElement): boolean {
  if (type !== 'button') return true
  const { length } = (typeof text === 'string' ? text : text?.text) ?? ''
  return length >= 1 && length <= 75 && id.length >= 1 && id.length <= 255 && value.length <= 2_000
}

/** Slack answers refusals with 200, and the word in the body. */
export function refusal(error: string): StandInProblem {
  return new StandInProblem(200, 0, error)
}
