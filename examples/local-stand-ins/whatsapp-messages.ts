import type { PhoneMessage } from './page/shapes.ts'
import type { WhatsAppContent, WhatsAppReceived, WhatsAppWritten } from '@cool-ai/beach-testing/whatsapp'

/** The quick replies of templates with two of them, in their order. */
const quickReplies = ['Approve', 'Deny'] as const

/** A message of the agent, as a phone shows it. */
export function shownReceived({ id, at, text, content, replyTo }: WhatsAppReceived): PhoneMessage {
  const place = { id, at, isMine: false, isNew: false, replyTo }
  const { interactive, template } = content
  if (interactive !== undefined) {
    const { buttons = [], button, sections = [] } = interactive.action
    return {
      ...place,
      text: interactive.body.text,
      ...(interactive.footer && { footer: interactive.footer.text }),
      ...(buttons.length > 0 && { buttons: buttons.map(({ reply }) => reply.title) }),
      ...(button !== undefined && {
        list: {
          button,
          rows: sections.flatMap(({ rows }) => rows.map(({ title, description }) => ({ title, description }))),
        },
      }),
    }
  }
  if (template !== undefined) {
    const count = template.components.filter(({ type }) => type === 'button').length
    return { ...place, text, ...(count > 0 && { buttons: quickReplies.slice(0, count) }) }
  }
  return mediaOf(content, place) ?? { ...place, text }
}

function mediaOf(content: WhatsAppContent, place: Omit<PhoneMessage, 'text'>): PhoneMessage | undefined {
  const { image, document, audio, video } = content
  if (image !== undefined)
    return { ...place, text: image.caption ?? '', media: { id: image.id, kind: 'image', name: 'Picture' } }
  const file = document ?? audio ?? video
  if (file === undefined) return undefined
  const name = document?.filename ?? (audio === undefined ? 'Video' : 'Recording')
  return { ...place, text: video?.caption ?? '', media: { id: file.id, kind: 'file', name } }
}

/** A message of a local person, as their phone shows it. */
export function shownWritten({ id, at, message }: WhatsAppWritten): PhoneMessage {
  const { context } = message
  const replyTo = fieldOf(context, 'id')
  return {
    id,
    at,
    isMine: true,
    isNew: false,
    text: wordsOf(message),
    replyTo,
  }
}

function wordsOf({ text, interactive, button }: Readonly<Record<string, unknown>>): string {
  if (typeof interactive === 'object' && interactive !== null) {
    const reply = Object.values(interactive).find((value) => typeof value === 'object')
    return fieldOf(reply, 'title') ?? ''
  }
  return fieldOf(text, 'body') ?? fieldOf(button, 'text') ?? ''
}

function fieldOf(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null || !(name in value)) return undefined
  const field = (value as Record<string, unknown>)[name]
  return typeof field === 'string' ? field : undefined
}
