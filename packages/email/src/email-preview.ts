import { bufferedPreview, hidden } from '@cool-ai/beach-channel/previews'
import type { Originator } from '@cool-ai/beach-core'
import type { ChannelPreview, PreviewItem, TurnPreview } from '@cool-ai/beach-core/ports'
import { mailDocument } from './mail-document.ts'
import { mailsOf, oneLine, pressLink, type ComposedMail, type ComposeOptions } from './mails-of.ts'
import { defaultLimits } from './options.ts'

/** How a mail is previewed. */
export type EmailPreviewOptions = Omit<ComposeOptions, 'token' | 'attachedBytes' | 'buttonLink'> &
  Partial<Pick<ComposeOptions, 'attachedBytes'>>

/** The mails that a recipient would get of a turn; tokens of requests are hidden in them. */
export function emailPreview(options: EmailPreviewOptions) {
  const context = {
    ...options,
    attachedBytes: options.attachedBytes ?? defaultLimits.attachedBytes,
    token: async () => hidden,
    buttonLink: (number: number) => pressLink(options.publicUrl, hidden, number),
  }
  return async (turn: TurnPreview): Promise<ChannelPreview> => {
    const to: Originator = { id: 'smtp:preview', transport: 'smtp', deliveryClass: 'buffered', principal: turn.owner }
    const items: PreviewItem[] = []
    for (const envelope of turn.pushes(to))
      items.push(...(await mailsOf(to, envelope, context)).map((mail) => itemOf(mail, options.name)))
    return bufferedPreview('Email', turn, items)
  }
}

function itemOf({ subject, body, files }: ComposedMail, name: string): PreviewItem {
  const attachments = files.map(({ filename, contentType: mimeType, sizeBytes }) => {
    return { name: oneLine(filename), mimeType, sizeBytes }
  })
  return { kind: 'mail', subject, text: body.text, html: mailDocument(name, body.html), attachments }
}
