import type { Envelope, Part, PartTypeRegistry } from '@cool-ai/beach-core'
import { approvalSurfacePrefix, readA2uiMessages, surfaceIds } from '@cool-ai/beach-protocol'
import type { AttachedArtifacts } from './artifact-files.ts'
import { escapeHtml, markdownHtml } from './markdown-html.ts'

/** The content of a mail, as text and as HTML. */
export interface MailBody {
  readonly text: string
  readonly html: string
}

const page =
  'font-family:system-ui,-apple-system,Segoe UI,Roboto,Arial,sans-serif;font-size:15px;line-height:1.5;color:#1f1f1f'
const written: ReadonlySet<string> = new Set(['response', 'clarify', 'error'])
/** Parts that are attached, or asked for in a mail of their own. */
const elsewhere: ReadonlySet<string> = new Set(['artifact', 'domain-data', 'approval-request', 'citation'])

/** An answer for a reader: its text, its surfaces in readable form, its sources. Undefined when it is empty. */
export function composeAnswer(
  { parts }: Pick<Envelope, 'parts'>,
  { lines }: Pick<AttachedArtifacts, 'lines'>,
  partTypes: PartTypeRegistry,
): MailBody | undefined {
  const bodies = parts
    .filter((part) => !elsewhere.has(part.metadata.partType) && !isApprovalSurface(part))
    .flatMap((part) => bodyOf(part, partTypes) ?? [])
  const sources = parts
    .filter(({ metadata }) => metadata.partType === 'citation')
    .flatMap((part) => partTypes.get('citation')?.toText?.(part) ?? [])
  const lists = [listOf('Sources', sources), listOf('Files', lines)].filter((list) => list !== undefined)
  return bodies.length === 0 && lists.length === 0 ? undefined : joined([...bodies, ...lists])
}

/** One mail of several pieces. */
export function joined(bodies: readonly MailBody[]): MailBody {
  return {
    text: bodies.map(({ text }) => text.trim()).join('\n\n'),
    html: `<div style="${page}">${bodies.map(({ html }) => html).join('\n')}</div>`,
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

function bodyOf(part: Part, partTypes: PartTypeRegistry): MailBody | undefined {
  const { partType } = part.metadata
  const entry = partTypes.get(partType)
  const text = entry?.toText?.(part) ?? (written.has(partType) ? part.text : undefined)
  const html = entry?.toHtml?.(part)
  if (text === undefined && html === undefined) return undefined
  if (html !== undefined) return { text: text ?? '', html }
  return written.has(partType) ? { text: text ?? '', html: markdownHtml(text ?? '') } : plainBody(text ?? '')
}

/** The surface of an approval has buttons, which a mail has not; the request's own mail asks in words. */
function isApprovalSurface({ metadata, data }: Part): boolean {
  const messages = metadata.partType === 'a2ui-surface' ? readA2uiMessages(data) : undefined
  return surfaceIds(messages ?? []).some((id) => id.startsWith(approvalSurfacePrefix))
}

function listOf(title: string, items: readonly string[]): MailBody | undefined {
  if (items.length === 0) return undefined
  const html = items.map((item) => `<li style="margin:0 0 4px">${escapeHtml(item)}</li>`).join('')
  return {
    text: [`${title}:`, ...items.map((item) => `- ${item}`)].join('\n'),
    html: `<p style="margin:12px 0 4px"><strong>${escapeHtml(title)}</strong></p><ul style="margin:0 0 12px;padding-left:22px">${html}</ul>`,
  }
}
