import { blocksOf } from '@cool-ai/beach-channel/people'
import { bufferedPreview, hidden } from '@cool-ai/beach-channel/previews'
import type { Clock, Originator, PartTypeRegistry } from '@cool-ai/beach-core'
import type { ChannelPreview, PreviewItem, TurnPreview } from '@cool-ai/beach-core/ports'
import type { Saying } from '../people/phone-sender.ts'
import type { SmsChannelOptions } from './options.ts'
import { sayingsOf, type SayingsContext } from './sayings.ts'
import { segmentsOf } from './segments.ts'

/** How a text message is previewed. */
export interface SmsPreviewOptions extends Pick<
  SmsChannelOptions,
  'artifacts' | 'artifactLink' | 'maxSegments' | 'mostSegments' | 'mayDecide' | 'codeValidMs'
> {
  readonly clock: Clock
  readonly partTypes: PartTypeRegistry
}

/** The messages that a recipient would get of a turn by SMS, with their segments; codes are hidden in them. */
export function smsPreview(options: SmsPreviewOptions) {
  const { clock, partTypes, artifacts, artifactLink } = options
  // The text behind a link is stored as a file when it is sent, and not before.
  const link = artifacts !== undefined && artifactLink !== undefined ? hidden : undefined
  const context: SayingsContext = { clock, channel: options, codeOf: () => hidden, linkTo: async () => link }
  return async (turn: TurnPreview): Promise<ChannelPreview> => {
    const { owner: principal, sessionId: session } = turn
    const to: Originator = { id: 'sms:preview', transport: 'sms', deliveryClass: 'buffered', principal }
    const items: PreviewItem[] = []
    for (const envelope of turn.pushes(to)) {
      const sayings = await sayingsOf(blocksOf(envelope, partTypes).blocks, { to, session }, context)
      items.push(...sayings.map(itemOf))
    }
    return bufferedPreview('SMS', turn, items)
  }
}

function itemOf({ content: text }: Saying<string>): PreviewItem {
  const { segments, encoding, units } = segmentsOf(text)
  const note = `${segments} ${segments === 1 ? 'segment' : 'segments'} · ${encoding} · ${units} characters`
  return { kind: 'message', text, note }
}
