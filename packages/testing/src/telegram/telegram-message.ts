import { StandInProblem } from '../stand-in/stand-in-server.ts'

interface TelegramKeyboard {
  readonly inline_keyboard: readonly (readonly { readonly text: string; readonly callback_data?: string }[])[]
}

/** What an app sends of a message. */
export interface TelegramContent {
  readonly text?: string | undefined
  readonly parse_mode?: string | undefined
  readonly rich_message?: { readonly markdown: string } | undefined
  readonly reply_markup?: TelegramKeyboard | undefined
}

/** A message in a chat of Telegram. */
export interface TelegramMessage {
  readonly id: number
  readonly chat: number
  /** The id of the person; undefined for the app itself. */
  readonly user?: number | undefined
  readonly at: number
  readonly text: string
  readonly keyboard?: TelegramKeyboard | undefined
  readonly file?: { readonly name: string; readonly bytes: Buffer } | undefined
  readonly edits: number
}

/** A button below a message. */
export interface TelegramButton {
  readonly label: string
  readonly data: string
}

/** What a reader sees of a message. */
export function telegramText({ text, file }: TelegramMessage): string {
  return [text, file?.name].filter((line) => line !== undefined && line !== '').join('\n')
}

/** The buttons below a message. */
export function telegramButtons({ keyboard }: TelegramMessage): TelegramButton[] {
  const rows = keyboard?.inline_keyboard ?? []
  return rows.flatMap((row) =>
    row.flatMap(({ text, callback_data: data }) => (data === undefined ? [] : [{ label: text, data }])),
  )
}

const reserved = /(?<!\\)[_*[\]()~`>#+\-=|{}.!]/

/** Refuses what is beyond Telegram’s limits, as Telegram does; returns the text without its formatting. */
export function checkedTelegramText({ text = '', ...given }: TelegramContent): string {
  const { parse_mode: mode, rich_message: rich, reply_markup: keyboard } = given
  const shown = rich?.markdown ?? (mode === 'MarkdownV2' ? withoutFormat(text) : text)
  if (shown.trim() === '') throw bad('message text is empty')
  if (shown.length > (rich === undefined ? 4_096 : 32_768)) throw bad('message is too long')
  const rows = keyboard?.inline_keyboard ?? []
  const buttons = rows.flat()
  if (buttons.length > 100 || rows.some((row) => row.length > 8)) throw bad('reply markup is too long')
  for (const { text: label, callback_data: data = 'x' } of buttons) {
    if (label === '' || data === '' || Buffer.byteLength(data) > 64) throw bad('BUTTON_DATA_INVALID')
  }
  return shown
}

/** MarkdownV2: what formats stands alone, and every other mark has a backslash before it. */
function withoutFormat(text: string): string {
  const plain = text
    .replaceAll(/(?<!\\)```[\s\S]*?(?<!\\)```|(?<!\\)`[^`]*(?<!\\)`/g, (code) => code.replaceAll(/[^\w\s]/g, ''))
    .replaceAll(/(?<!\\)\[((?:\\.|[^\]\\])*)\]\((?:\\.|[^)\\])*\)/g, '$1')
    .replaceAll(/^>/gm, '')
    .replaceAll(/(?<!\\)(\*|__|_|~|\|\|)((?:\\.|[^\\\n])+?)(?<!\\)\1/g, '$2')
  const found = reserved.exec(plain)?.[0]
  if (found !== undefined) throw bad(`can't parse entities: Character '${found}' is reserved and must be escaped`)
  return plain.replaceAll(/\\(.)/g, '$1')
}

/** A refusal, in Telegram’s words. */
export function bad(why: string): StandInProblem {
  return new StandInProblem(400, 400, `Bad Request: ${why}`)
}
