import { blocksOf } from '@cool-ai/beach-channel/people'
import { bufferedPreview } from '@cool-ai/beach-channel/previews'
import type { PartTypeRegistry } from '@cool-ai/beach-core'
import type { ChannelPreview, PreviewItem, TurnPreview } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import type { AdapterPostableMessage } from 'chat'
import { originatorAt } from './places.ts'
import { askPostables, choicePostables, listPostables, textPostables } from './postables.ts'

const note = 'As it stands in the thread once the turn has ended; while text is written, the message is edited.'

/** How a work chat is previewed. */
export interface ChatPreviewOptions {
  readonly partTypes: PartTypeRegistry
  /** The adapter’s own name, by which the limits are known; `slack` when left out. */
  readonly adapterName?: string | undefined
}

/** The messages that a thread of a platform would get of a turn, as its adapter is given them. */
export function chatPreview({ partTypes, adapterName = 'slack' }: ChatPreviewOptions) {
  return async (turn: TurnPreview): Promise<ChannelPreview> => {
    const to = originatorAt({ adapter: adapterName, workspace: '-', thread: 'preview' }, turn.owner)
    const items = turn.pushes(to).flatMap((envelope) =>
      blocksOf(envelope, partTypes).blocks.flatMap((block): PreviewItem[] => {
        switch (block.kind) {
          case 'text':
            return textPostables(adapterName, block.text).map(itemOf)
          case 'list':
            return listPostables(adapterName, block).map(itemOf)
          case 'choice':
            return choicePostables(adapterName, block).map(itemOf)
          case 'ask':
            return askPostables(adapterName, block).map(itemOf)
          case 'file':
            return [
              { kind: 'message', text: '', file: block.file.name ?? 'File', payload: { files: [block.file.name] } },
            ]
        }
      }),
    )
    return bufferedPreview('Work chat', turn, items, note)
  }
}

/** A message as its readers see it. */
function itemOf(message: AdapterPostableMessage): PreviewItem {
  const payload = typeof message === 'string' ? { markdown: message } : { ...message }
  if (typeof message === 'string') return { kind: 'message', text: message, payload }
  if ('markdown' in message) return { kind: 'message', text: message.markdown, payload }
  if (!('type' in message)) return { kind: 'message', text: '', payload }
  const texts = message.children.flatMap((child) => (child.type === 'text' ? child.content : []))
  const labels = message.children.flatMap((child) => {
    return child.type === 'actions' ? child.children.flatMap((button) => ('label' in button ? button.label : [])) : []
  })
  const text = [message.title, ...texts].filter((line) => line !== undefined).join('\n')
  return { kind: 'message', text, ...defined({ choices: labels.length > 0 ? labels : undefined }), payload }
}
