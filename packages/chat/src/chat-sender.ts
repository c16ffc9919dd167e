import {
  blocksOf,
  deliver,
  findFile,
  listOf,
  namedFile,
  type AskPut,
  type Block,
  type FileReader,
  type PersonLog,
  type Transmitted,
} from '@cool-ai/beach-channel/people'
import type { ChannelContext, Envelope, Originator, SendOutcome } from '@cool-ai/beach-core'
import type { StoredArtifact } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import type { ArtifactReference } from '@cool-ai/beach-protocol'
import type { AdapterPostableMessage, StateAdapter } from 'chat'
import type { CardIndex } from './card-index.ts'
import type { DecidedCards } from './decided-cards.ts'
import type { LiveAnswers } from './live-answers.ts'
import { findBegun, findSent } from './find-sent.ts'
import { OpenSends } from './open-sends.ts'
import { placeKey, placeOf, type ChatPlace } from './places.ts'
import type { Platform } from './platform.ts'
import { limitsOf } from './platform-limits.ts'
import { askPostables, choicePostables, listPostables, textPostables, type AskBlock } from './postables.ts'

/** What messages out need. */
export interface ChatSenderOptions extends Pick<
  ChannelContext,
  'runtime' | 'partTypes' | 'artifacts' | 'artifactLink'
> {
  readonly threads: PersonLog
  readonly platforms: ReadonlyMap<string, Platform>
  readonly cards: CardIndex
  readonly decided: DecidedCards
  readonly live: LiveAnswers
  /** Remembers the threads of people who were written to first. */
  readonly opened: Pick<StateAdapter, 'get' | 'set' | 'delete'>
}

/** A thread that exists, on its platform. */
export interface OpenPlace extends ChatPlace {
  readonly thread: string
  readonly key: string
  readonly platform: Platform
}

type Lazy = (signal: AbortSignal) => Promise<AdapterPostableMessage>

interface Saying {
  readonly content: AdapterPostableMessage | Lazy
  readonly ask?: AskBlock | undefined
  readonly hasButtons: boolean
  readonly isText?: boolean | undefined
  /** The message that has shown its text until now. */
  readonly replaces?: string | undefined
}

/** Sends envelopes and notices to threads: each message once, as far as that can be known. */
export class ChatSender {
  readonly #options: ChatSenderOptions
  readonly #open = new OpenSends()

  constructor(options: ChatSenderOptions) {
    this.#options = options
  }

  async send(to: Originator, envelope: Envelope, key: string, signal: AbortSignal): Promise<SendOutcome> {
    const opened = await this.open(to, signal)
    if ('status' in opened) return opened
    const { sessionId: session, turnId } = envelope.meta
    const { blocks, choices, isAsking } = blocksOf(envelope, this.#options.partTypes)
    const list = choices.length > 0 || isAsking ? listOf(turnId, choices) : undefined
    const sayings = blocks.flatMap((block) => this.#sayings(opened.platform.adapter.name, block, { to, session }))
    const all = await this.#finished(opened, sayings, envelope, signal)
    if (all === undefined) return { status: 'failed', reason: 'Another process still shows this answer.' }
    return this.#deliver(opened, all, { key, kind: 'm', session, list, to, signal })
  }

  /** The finished answer takes the place of the one that has grown; undefined while another process writes that. */
  async #finished(
    place: OpenPlace,
    sayings: readonly Saying[],
    { meta: { turnId, finalizedBy } }: Envelope,
    signal: AbortSignal,
  ): Promise<readonly Saying[] | undefined> {
    const { live } = this.#options
    if (finalizedBy === undefined) {
      await live.leaveBehind(place, turnId)
      return sayings
    }
    const draft = await live.take(place, turnId)
    if (draft === 'busy') return undefined
    const [first, ...rest] = sayings
    const messageId = draft.messageId ?? (await this.#interrupted(place, first, draft.triedAt, signal))
    if (messageId === undefined || first === undefined) return sayings
    if (first.isText === true && !draft.isBehind) return [{ ...first, replaces: messageId }, ...rest]
    await place.platform.call(place.workspace, (api) => api.deleteMessage(place.thread, messageId), signal)
    return sayings
  }

  /** The message of an answer whose posting was interrupted, so that its id is not known. */
  async #interrupted(place: OpenPlace, first: Saying | undefined, triedAt: number | undefined, signal: AbortSignal) {
    if (triedAt === undefined || first === undefined || typeof first.content === 'function') return undefined
    const known = (await this.#options.threads.load(place.key)).progress.flatMap(({ sent }) => Object.values(sent))
    return findBegun(place, first.content, { triedAt, known, signal })
  }

  /** Resolves once a message that this process may be sending is on record, with its buttons. */
  recorded(place: OpenPlace, messageId: string, isKnown: boolean): Promise<void> {
    return this.#open.recorded(place, messageId, isKnown)
  }

  /** Says something that belongs to no session. */
  async notice(place: OpenPlace, text: string, key: string, signal: AbortSignal): Promise<SendOutcome> {
    const contents = textPostables(place.platform.adapter.name, text)
    const sayings = contents.map((content) => ({ content, hasButtons: false }))
    return this.#deliver(place, sayings, { key: `notice:${key}`, kind: 'n', signal })
  }

  /** The thread of an originator; a person who was not written to before gets one. */
  async open(to: Originator, signal: AbortSignal): Promise<OpenPlace | SendOutcome> {
    const place = placeOf(to)
    const platform = place && this.#options.platforms.get(place.adapter)
    if (place === undefined || platform === undefined) {
      return { status: 'refused', reason: 'This originator has no address in a work chat of this agent.' }
    }
    if (place.thread !== undefined) return { ...place, thread: place.thread, key: placeKey(place), platform }
    const { adapter, workspace, user = '' } = place
    if (platform.adapter.openDM === undefined) {
      return { status: 'refused', reason: `${adapter} has no direct messages that an app can begin.` }
    }
    const opened = await platform.call(workspace, (api) => api.openDM?.(user) ?? Promise.resolve(''), signal)
    if ('failure' in opened) return opened.failure
    const thread = opened.done
    const name = openedName(place)
    if ((await this.#options.opened.get(name)) !== thread) await this.#options.opened.set(name, thread)
    return { adapter, workspace, thread, key: placeKey({ adapter, workspace, thread }), platform }
  }

  /** Forgets the thread of a person who was written to first; resolves to which it was. */
  async forgetOpened(place: ChatPlace): Promise<string | undefined> {
    const { opened } = this.#options
    const thread = await opened.get<string>(openedName(place))
    await opened.delete(openedName(place))
    return thread ?? undefined
  }

  #sayings(adapterName: string, block: Block, reader: FileReader): Saying[] {
    switch (block.kind) {
      case 'text':
        return textPostables(adapterName, block.text).map((content) => ({ content, hasButtons: false, isText: true }))
      case 'list':
        return listPostables(adapterName, block).map((content) => ({ content, hasButtons: true }))
      case 'choice':
        return choicePostables(adapterName, block).map((content) => ({ content, hasButtons: true }))
      case 'ask':
        return askPostables(adapterName, block).map((content) => ({ content, ask: block, hasButtons: true }))
      case 'file':
        return [{ content: () => this.#file(adapterName, block.file, reader), hasButtons: false }]
    }
  }

  /** A file as an upload; by a link where the agent does not have it itself. */
  async #file(adapterName: string, file: ArtifactReference, reader: FileReader): Promise<AdapterPostableMessage> {
    const { artifacts } = this.#options
    const name = file.name ?? 'file'
    const stored = await findFile(artifacts, file.artifactId, reader)
    if (stored === undefined || !isUploaded(adapterName, stored.artifact))
      return { markdown: await namedFile(this.#options, file, name, reader) }
    const bytes = await new Response(stored.open() as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer()
    const upload = { data: Buffer.from(bytes), filename: name, mimeType: stored.artifact.mimeType }
    return { markdown: '', files: [upload] }
  }

  async #deliver(
    place: OpenPlace,
    sayings: readonly Saying[],
    push: {
      readonly key: string
      readonly kind: string
      readonly session?: string
      readonly list?: ReturnType<typeof listOf> | undefined
      readonly to?: Originator
      readonly signal: AbortSignal
    },
  ): Promise<SendOutcome> {
    const { threads, runtime } = this.#options
    const { key, kind, session, list, to, signal } = push
    const outcome = await this.#open.run(place, (posted) => {
      const transmissions = sayings.map((saying, index) => ({
        name: `${kind}${index}`,
        ask: saying.ask && session !== undefined && to !== undefined ? askPut(saying.ask, session, to) : undefined,
        transmit: async (_mark: string, triedAt: number | undefined) => {
          const sent = await this.#transmit(place, saying, triedAt, signal)
          if (sent.status === 'sent') posted(sent.messageId)
          if (sent.status === 'sent' && saying.hasButtons && session !== undefined) {
            await this.#remember(place, sent.messageId, session, saying.ask)
          }
          return sent
        },
      }))
      return deliver(threads, { person: place.key, key, session, list, clock: runtime.clock }, transmissions)
    })
    return outcome.status === 'closed' ? { status: 'refused', reason: outcome.reason } : outcome
  }

  async #transmit(
    place: OpenPlace,
    { content, replaces }: Saying,
    triedAt: number | undefined,
    signal: AbortSignal,
  ): Promise<Transmitted> {
    const message = typeof content === 'function' ? await content(signal) : content
    if (replaces !== undefined) {
      const edited = await place.platform.edit({ ...place, messageId: replaces }, message, signal)
      if ('done' in edited) return { status: 'sent', messageId: replaces }
      // An edit may be done twice; a message that is gone is sent anew.
      if (edited.failure.status === 'failed') return { ...edited.failure, isUncertain: false }
    }
    const known = (await this.#options.threads.load(place.key)).progress.flatMap(({ sent }) => Object.values(sent))
    const before = triedAt === undefined ? undefined : await findSent(place, message, { triedAt, known, signal })
    if (before !== undefined) return { status: 'sent', messageId: before }
    const posted = await place.platform.post(place, message, signal)
    return 'done' in posted ? { status: 'sent', messageId: posted.done } : posted.failure
  }

  async #remember(place: OpenPlace, messageId: string, session: string, ask: AskBlock | undefined): Promise<void> {
    const { adapter, workspace, thread, key, platform } = place
    const asked = ask && { approvalId: ask.asked.request.approvalId, title: ask.asked.title }
    await this.#options.cards.add(
      platform,
      defined({ adapter, workspace, thread, place: key, messageId, session, ask: asked }),
    )
    if (ask !== undefined) this.#options.decided.watch(session)
  }
}

function openedName(place: ChatPlace): string {
  return `opened:${placeKey(place)}`
}

function isUploaded(adapterName: string, { sizeBytes, mimeType }: StoredArtifact['artifact']): boolean {
  const { bytes, isImagesOnly = false } = limitsOf(adapterName).upload
  return sizeBytes <= bytes && (!isImagesOnly || mimeType.startsWith('image/'))
}

function askPut({ asked }: AskBlock, session: string, to: Originator): AskPut {
  const { approvalId, expiresAt } = asked.request
  const until = expiresAt === undefined ? undefined : Date.parse(expiresAt)
  const issue = asked.followUp?.number ?? 0
  return defined({ approvalId, session, principal: to.principal, title: asked.title.slice(0, 100), issue, until })
}
