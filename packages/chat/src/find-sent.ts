import type { AdapterPostableMessage } from 'chat'
import type { OpenPlace } from './chat-sender.ts'

const lookedThrough = 20
const comparedLength = 80
/** The clocks of the platform and of this machine differ. */
const clockDifferenceMs = 60_000

interface Search {
  readonly triedAt: number
  /** Messages that are known to be others. */
  readonly known: readonly string[]
  readonly signal: AbortSignal
}

/**
 * The id of a message whose sending was interrupted, if it is in the thread. Platforms have no idempotency keys: it is
 * known by its words, and by having come since.
 */
export async function findSent(
  place: OpenPlace,
  message: AdapterPostableMessage,
  search: Search,
): Promise<string | undefined> {
  const wanted = compared(wordsOf(message))
  if (wanted === '') return undefined
  const found = await ownMessages(place, search)
  // The text of a card is in what the platform has, and not in the message’s own text.
  return found?.findLast(({ text, raw }) => [text, ...stringsIn(raw)].some((words) => compared(words).includes(wanted)))
    ?.id
}

/** The id of a message that shows the beginning of a text, whose sending was interrupted. */
export async function findBegun(
  place: OpenPlace,
  message: AdapterPostableMessage,
  search: Search,
): Promise<string | undefined> {
  const whole = compared(wordsOf(message))
  const found = await ownMessages(place, search)
  return found?.findLast(({ text }) => compared(text) !== '' && whole.startsWith(compared(text)))?.id
}

/** Messages of ours since a time. */
async function ownMessages({ platform, workspace, thread }: OpenPlace, { triedAt, known, signal }: Search) {
  const read = await platform.call(
    workspace,
    async (api) => {
      const options = { limit: lookedThrough, direction: 'backward' } as const
      // Messages outside of threads, such as direct ones, are those of their channel.
      const channel = api.channelIdFromThreadId(thread)
      const isWhole = thread === channel || thread === `${channel}:`
      if (!isWhole || api.fetchChannelMessages === undefined) return api.fetchMessages(thread, options)
      return api.fetchChannelMessages(channel, options)
    },
    signal,
  )
  if ('failure' in read) return undefined
  return read.done.messages.filter(({ id, author, metadata }) => {
    const isNew = metadata.dateSent.getTime() >= triedAt - clockDifferenceMs
    return author.isMe && isNew && !known.includes(id)
  })
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** The first words of a message as a reader sees them. */
function wordsOf(message: AdapterPostableMessage): string {
  if (typeof message === 'string') return message
  if ('markdown' in message) return message.markdown
  if (!('type' in message)) return ''
  const [first] = message.children
  return first?.type === 'text' ? first.content : (message.title ?? '')
}

/** Letters and digits alone: platforms write formatting in their own ways. */
function compared(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt);|[^\p{L}\p{N}]/gu, '').slice(0, comparedLength)
}
