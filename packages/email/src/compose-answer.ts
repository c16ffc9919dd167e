import { buttonsOf, offeredIn, type Offered } from '@cool-ai/beach-channel/people'
import type { Envelope, PartTypeRegistry } from '@cool-ai/beach-core'
import type { ChoiceAction, PartForm } from '@cool-ai/beach-core/registries'
import type { AttachedArtifacts } from './artifact-files.ts'
import { escapeHtml, markdownHtml } from './markdown-html.ts'

/** The content of a mail, as text and as HTML. */
export interface MailBody {
  readonly text: string
  readonly html: string
}

/** Where a button of an answer is pressed, by its number among all of them; undefined where it cannot be. */
export type ButtonLink = (number: number, action: ChoiceAction) => string | undefined

const written: ReadonlySet<string> = new Set(['response', 'clarify', 'error'])
/** Parts that are attached, or asked for in a mail of their own. */
const elsewhere: ReadonlySet<string> = new Set(['artifact', 'approval-request', 'citation'])
const hint = 'Reply with a number to choose.'

/**
 * An answer for a reader: its text, its surfaces and lists in readable form with what can be chosen numbered, its sources.
 * Undefined when it is empty.
 */
export function composeAnswer(
  { parts }: Pick<Envelope, 'parts'>,
  { lines }: Pick<AttachedArtifacts, 'lines'>,
  { partTypes, buttonLink }: { readonly partTypes: PartTypeRegistry; readonly buttonLink?: ButtonLink | undefined },
): (MailBody & Pick<Offered, 'choices'>) | undefined {
  const { shown, choices } = offeredIn(parts, partTypes)
  const linkOf = buttonLink && linksTo(buttonsOf(choices), buttonLink)
  const bodies = shown
    .filter(({ part }) => !elsewhere.has(part.metadata.partType))
    .flatMap((part) => bodyOf(part, partTypes, linkOf) ?? [])
  const how = choices.length === 0 ? [] : [plainBody(hint)]
  const sources = parts
    .filter(({ metadata }) => metadata.partType === 'citation')
    .flatMap((part) => partTypes.get('citation')?.toText?.(part) ?? [])
  const lists = [listOf('Sources', sources), listOf('Files', lines)].filter((list) => list !== undefined)
  if (bodies.length === 0 && lists.length === 0) return undefined
  return { ...joined([...bodies, ...how, ...lists]), choices }
}

/** The links of buttons, which a surface names by what they do. */
function linksTo(buttons: readonly ChoiceAction[], buttonLink: ButtonLink): PartForm['linkOf'] {
  const numbers = new Map(buttons.map((action, index) => [JSON.stringify(action), index + 1]))
  return (action) => {
    const number = numbers.get(JSON.stringify(action))
    return number === undefined ? undefined : buttonLink(number, action)
  }
}

/** One mail of several pieces. */
export function joined(bodies: readonly MailBody[]): MailBody {
  return {
    text: bodies.map(({ text }) => text.trim()).join('\n\n'),
    html: bodies.map(({ html }) => html).join('\n'),
  }
}

/** Plain paragraphs. */
export function plainBody(text: string): MailBody {
  const html = text
    .split('\n\n')
    .map((paragraph) => `<p style="margin:0 0 12px">${escapeHtml(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('')
  return { text, html }
}

function bodyOf(
  { part, firstNumber }: Offered['shown'][number],
  partTypes: PartTypeRegistry,
  linkOf: PartForm['linkOf'],
): MailBody | undefined {
  const { partType } = part.metadata
  const entry = partTypes.get(partType)
  const form = firstNumber === undefined ? undefined : { firstNumber, linkOf }
  const text = entry?.toText?.(part, form) ?? (written.has(partType) ? part.text : undefined)
  const html = entry?.toHtml?.(part, form)
  if (text === undefined && html === undefined) return undefined
  if (html !== undefined) return { text: text ?? '', html }
  return written.has(partType) ? { text: text ?? '', html: markdownHtml(text ?? '') } : plainBody(text ?? '')
}

function listOf(title: string, items: readonly string[]): MailBody | undefined {
  if (items.length === 0) return undefined
  const html = items.map((item) => `<li style="margin:0 0 4px">${escapeHtml(item)}</li>`).join('')
  return {
    text: [`${title}:`, ...items.map((item) => `- ${item}`)].join('\n'),
    html: `<p style="margin:12px 0 4px"><strong>${escapeHtml(title)}</strong></p><ul style="margin:0 0 12px;padding-left:22px">${html}</ul>`,
  }
}
