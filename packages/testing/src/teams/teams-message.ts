import { StandInProblem } from '../stand-in/stand-in-server.ts'

interface AdaptiveElement {
  readonly type: string
  readonly text?: string
  readonly items?: readonly AdaptiveElement[]
}

interface AdaptiveAction {
  readonly type: string
  readonly title?: string
  readonly data?: { readonly actionId?: string; readonly value?: string }
}

interface AdaptiveCard {
  readonly type?: string
  readonly version?: string
  readonly body?: readonly AdaptiveElement[]
  readonly actions?: readonly AdaptiveAction[]
}

interface TeamsAttachment {
  readonly contentType: string
  readonly content?: AdaptiveCard
  readonly contentUrl?: string
  readonly name?: string
}

/** What a bot sends of a message. */
export interface TeamsContent {
  readonly type: string
  readonly text?: string
  readonly attachments?: readonly TeamsAttachment[]
}

/** A message in a conversation of Teams. */
export interface TeamsMessage {
  readonly id: string
  /** The conversation; in a channel with the thread: `19:…@thread.tacv2;messageid=…`. */
  readonly conversation: string
  /** The person; undefined for the bot itself. */
  readonly user?: string | undefined
  readonly at: number
  readonly text: string
  readonly attachments: readonly TeamsAttachment[]
  /** The only person who sees it. */
  readonly onlyFor?: string | undefined
  readonly edits: number
}

/** A button of a card. */
export interface TeamsButton {
  readonly label: string
  readonly data: Readonly<Record<string, unknown>>
}

const cardType = 'application/vnd.microsoft.card.adaptive'
const maxBytes = 100 * 1024
const maxActions = 6

/** What a reader sees of a message. */
export function teamsText({ text, attachments }: TeamsMessage): string {
  const shown = attachments.flatMap(({ content, name }) => [...(content?.body ?? []).flatMap(textsOf), name ?? ''])
  const lines = [text, ...shown].filter((line) => line !== '')
  return lines.map((line) => line.replaceAll(/\\([\\`*_[\]<>~|])/g, '$1')).join('\n')
}

/** The buttons of a message. */
export function teamsButtons({ attachments }: TeamsMessage): TeamsButton[] {
  return attachments.flatMap(({ content }) =>
    (content?.actions ?? []).flatMap(({ type, title = '', data }) => {
      return type === 'Action.Submit' && data !== undefined ? [{ label: title, data: { ...data } }] : []
    }),
  )
}

/** The file that came with a message. */
export function teamsFile({
  attachments,
}: TeamsMessage): { readonly name: string; readonly bytes: Buffer } | undefined {
  const file = attachments.find(({ contentUrl }) => contentUrl?.startsWith('data:'))
  if (file?.contentUrl === undefined) return undefined
  return { name: file.name ?? 'file', bytes: Buffer.from(file.contentUrl.split(',')[1] ?? '', 'base64') }
}

function textsOf({ text, items = [] }: AdaptiveElement): string[] {
  return [...(text === undefined ? [] : [text]), ...items.flatMap(textsOf)]
}

/** Refuses what is beyond the limits of Teams, as its connector does. */
export function checkTeamsMessage({ text = '', attachments = [] }: TeamsContent, bytes: number): void {
  if (bytes > maxBytes) throw new StandInProblem(413, 0, 'RequestEntityTooLarge')
  if (text === '' && attachments.length === 0) throw refused('Activity must contain text or attachments')
  for (const { contentType, content, contentUrl } of attachments) {
    if (contentType === cardType) checkCard(content ?? {})
    else if (contentUrl?.startsWith('data:') === true && !contentType.startsWith('image/')) {
      throw refused(`Unsupported attachment type ${contentType}`)
    }
  }
}

function checkCard({ type, version, body = [], actions = [] }: AdaptiveCard): void {
  if (type !== 'AdaptiveCard' || version === undefined) throw refused('The card is not an Adaptive Card')
  if (actions.length > maxActions) throw refused(`A card has at most ${maxActions} actions`)
  if (!actions.every(({ title = '' }) => title !== '')) throw refused('An action needs a title')
  if (body.length === 0 && actions.length === 0) throw refused('The card is empty')
}

/** A refusal, in the connector’s words. */
export function refused(why: string): StandInProblem {
  return new StandInProblem(400, 0, `BadSyntax: ${why}`)
}
