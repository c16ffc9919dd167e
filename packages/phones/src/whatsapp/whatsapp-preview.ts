import { blocksOf, type FileSource } from '@cool-ai/beach-channel/people'
import { bufferedPreview, hidden } from '@cool-ai/beach-channel/previews'
import type { Originator, PartTypeRegistry } from '@cool-ai/beach-core'
import type { ChannelPreview, PreviewItem, TurnPreview } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import * as z from 'zod'
import type { Content } from './contents.ts'
import { fileContent, sayingsOf, type BlockSaying } from './sayings.ts'

/** How a WhatsApp message is previewed. */
export interface WhatsAppPreviewOptions extends FileSource {
  readonly partTypes: PartTypeRegistry
}

const note = 'As it is sent within 24 hours of the person’s last message; after that a template is sent instead.'

/** The messages that a WhatsApp user would get of a turn, as the Cloud API is given them. */
export function whatsAppPreview(options: WhatsAppPreviewOptions) {
  return async (turn: TurnPreview): Promise<ChannelPreview> => {
    const { owner: principal, sessionId: session } = turn
    const to: Originator = { id: 'whatsapp:preview', transport: 'whatsapp', deliveryClass: 'buffered', principal }
    const contentOf = async (saying: BlockSaying) =>
      'content' in saying ? saying.content : fileContent(saying.file, { to, session }, options, notUploaded)
    const sayings = turn
      .pushes(to)
      .flatMap((envelope) => blocksOf(envelope, options.partTypes).blocks.flatMap(sayingsOf))
    const contents = await Promise.all(sayings.map(contentOf))
    return bufferedPreview('WhatsApp', turn, contents.map(itemOf), note)
  }
}

const notUploaded = async () => ({ id: hidden })

const shown = z.object({
  text: z.object({ body: z.string() }).optional(),
  interactive: z
    .object({
      body: z.object({ text: z.string() }),
      footer: z.object({ text: z.string() }).optional(),
      action: z.object({
        buttons: z.array(z.object({ reply: z.object({ title: z.string() }) })).optional(),
        sections: z.array(z.object({ rows: z.array(z.object({ title: z.string() })) })).optional(),
      }),
    })
    .optional(),
  document: z.object({ filename: z.string().optional() }).optional(),
  image: z.object({ caption: z.string().optional() }).optional(),
  video: z.object({ caption: z.string().optional() }).optional(),
})

/** A message as the recipient sees it, and as the Cloud API is given it. */
function itemOf(payload: Content): PreviewItem {
  const { text, interactive, document, image, video } = shown.parse(payload)
  const { buttons = [], sections = [] } = interactive?.action ?? {}
  const titles = [
    ...buttons.map(({ reply }) => reply.title),
    ...sections.flatMap(({ rows }) => rows.map(({ title }) => title)),
  ]
  const file = document?.filename ?? image?.caption ?? video?.caption
  const isMedia = text === undefined && interactive === undefined
  return {
    kind: 'message',
    text: text?.body ?? interactive?.body.text ?? '',
    ...defined({
      choices: titles.length > 0 ? titles : undefined,
      file: isMedia ? (file ?? 'File') : undefined,
      note: interactive?.footer?.text,
    }),
    payload,
  }
}
