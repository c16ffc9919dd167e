import { StandInProblem } from '../stand-in/stand-in-server.ts'

interface DiscordEmbed {
  readonly title?: string
  readonly description?: string
  readonly fields?: readonly { readonly name: string; readonly value: string }[]
}

interface DiscordComponent {
  readonly type: number
  readonly style?: number
  readonly label?: string
  readonly custom_id?: string
  readonly disabled?: boolean
  readonly url?: string
  readonly components?: readonly DiscordComponent[]
}

/** What an app sends of a message; an edit changes what it names. */
export interface DiscordContent {
  readonly content?: string | null
  readonly embeds?: readonly DiscordEmbed[]
  readonly components?: readonly DiscordComponent[]
  readonly flags?: number
}

/** A message in a channel, a thread or direct messages of Discord. */
export interface DiscordMessage extends DiscordContent {
  readonly id: string
  readonly channel: string
  readonly user: string
  readonly at: number
  readonly file?: { readonly name: string; readonly bytes: Buffer } | undefined
  readonly edits: number
}

/** A button of a message that can be pressed. */
export interface DiscordButton {
  readonly label: string
  readonly customId: string
}

const actionRow = 1
const button = 2
const linkStyle = 5

/** What a reader sees of a message. */
export function discordText({ content, embeds = [], file }: DiscordMessage): string {
  const shown = embeds.flatMap(({ title, description, fields = [] }) => [
    title,
    description,
    ...fields.flatMap(({ name, value }) => [name, value]),
  ])
  return [content, ...shown, file?.name]
    .filter((line) => line !== undefined && line !== null && line !== '')
    .map((line) => String(line).replaceAll(/\\([\\`*_[\]<>~|])/g, '$1'))
    .join('\n')
}

/** The buttons of a message. */
export function discordButtons({ components = [] }: DiscordContent): DiscordButton[] {
  return components.flatMap(({ components: inner = [] }) =>
    inner.flatMap(({ type, label = '', custom_id: customId, disabled }) => {
      return type === button && customId !== undefined && disabled !== true ? [{ label, customId }] : []
    }),
  )
}

/** Refuses what is beyond Discord’s limits, as Discord does. */
export function checkDiscordMessage(
  { content, embeds = [], components = [] }: DiscordContent,
  hasFiles: boolean,
): void {
  const isEmpty = (content ?? '') === '' && embeds.length === 0 && components.length === 0 && !hasFiles
  if (isEmpty) throw new StandInProblem(400, 50_006, 'Cannot send an empty message')
  if ((content ?? '').length > 2_000) throw invalid('content: Must be 2000 or fewer in length.')
  if (embeds.length > 10 || components.length > 5) throw invalid('Too many embeds or components.')
  const sum = embeds.reduce((all, embed) => all + lengthOf(embed), 0)
  if (sum > 6_000) throw invalid('embeds: Embed size exceeds maximum size of 6000')
  if (!embeds.every((embed) => isValidEmbed(embed))) throw invalid('embeds: Must be within the limits.')
  if (!components.every((row) => isValidRow(row))) throw invalid('components: Invalid.')
  const ids = components.flatMap((row) => (row.components ?? []).flatMap(({ custom_id: id }) => id ?? []))
  if (new Set(ids).size !== ids.length) throw invalid('components: Component custom id cannot be duplicated')
}

function lengthOf({ title = '', description = '', fields = [] }: DiscordEmbed): number {
  return (
    title.length + description.length + fields.reduce((sum, { name, value }) => sum + name.length + value.length, 0)
  )
}

function isValidEmbed({ title = '', description = '', fields = [] }: DiscordEmbed): boolean {
  const areFields = fields.every(({ name, value }) => isBetween(name, 1, 256) && isBetween(value, 1, 1_024))
  return title.length <= 256 && description.length <= 4_096 && fields.length <= 25 && areFields
}

function isValidRow({ type, components = [] }: DiscordComponent): boolean {
  return type === actionRow && components.length >= 1 && components.length <= 5 && components.every(isValidButton)
}

function isValidButton({ type, style, label = '', custom_id: id, url }: DiscordComponent): boolean {
  if (type !== button) return false
  return isBetween(label, 1, 80) && (style === linkStyle ? url !== undefined : isBetween(id ?? '', 1, 100))
}

function isBetween({ length }: string, least: number, most: number): boolean {
  return length >= least && length <= most
}

function invalid(why: string): StandInProblem {
  return new StandInProblem(400, 50_035, `Invalid Form Body: ${why}`)
}
