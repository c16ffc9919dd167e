import {
  approvalRecord,
  decidedText,
  decisionFromWords,
  isOutdated,
  listFor,
  pressPart,
  withChoice,
  type Ask,
  type PersonLog,
  waitsFor,
  waitsText,
} from '@cool-ai/beach-channel/people'
import {
  BeachError,
  isBeachError,
  type ChannelContext,
  type Decision,
  type Part,
  type Principal,
  type SendOutcome,
} from '@cool-ai/beach-core'
import { momentText } from '@cool-ai/beach-protocol'
import type { CardIndex, SentCard } from './card-index.ts'
import { maxReasks, newSessionWords, notices } from './chat-notices.ts'
import type { ChatSender, OpenPlace } from './chat-sender.ts'
import type { DecidedCards } from './decided-cards.ts'
import type { FormButtons } from './form-buttons.ts'
import { filledContext } from './forms.ts'
import type { FilledItem, IncomingItem, PressedItem, SaidItem } from './incoming-item.ts'
import type { ChatChannelOptions, ChatSender as Sender, ChatUser } from './options.ts'
import type { LiveAnswers } from './live-answers.ts'
import { approvalName, readPayload } from './payload.ts'
import { directWorkspace, originatorAt, placeKey } from './places.ts'
import type { Platform } from './platform.ts'
import { literalText, withoutHidden } from './safe-text.ts'
import { takeFiles } from './take-files.ts'
import type { Threads } from './threads.ts'

interface ChatIntakeOptions
  extends
    Pick<ChannelContext, 'runtime' | 'tenant' | 'partTypes' | 'sessions' | 'artifacts'>,
    Pick<ChatChannelOptions, 'accepts' | 'listensTo'> {
  /** The principal of a person. */
  readonly principalOf: (who: ChatUser) => Promise<Principal>
  readonly records: PersonLog
  readonly threads: Threads
  readonly platforms: ReadonlyMap<string, Platform>
  readonly sender: ChatSender
  readonly cards: CardIndex
  readonly decided: DecidedCards
  readonly maxTextLength: number
  readonly maxFileBytes: number
  readonly live: LiveAnswers
  readonly forms: Pick<FormButtons, 'actionOf'>
}

/** Handles what people say and press: a decision, a choice, or a message. */
export class ChatIntake {
  readonly #options: ChatIntakeOptions

  constructor(options: ChatIntakeOptions) {
    this.#options = options
  }

  /** Whether something is for the agent; nothing else that is said in a channel is stored. */
  async wants(item: IncomingItem): Promise<boolean> {
    const { accepts, listensTo, records } = this.#options
    if (accepts?.(item.from) === false) return false
    if (item.kind !== 'said' || item.isMention || item.from.isDirect) return true
    return listensTo === 'threads' && (await records.load(placeKey(item.from))).current !== undefined
  }

  /** It may be called again with the same item. */
  async take(given: IncomingItem, signal: AbortSignal): Promise<void> {
    const item = given.kind === 'said' && given.isPrivate === true ? await this.#inDirect(given, signal) : given
    const place = item && this.#placeOf(item.from)
    if (item === undefined || place === undefined) return
    const { records } = this.#options
    const before = (await records.load(place.key)).came.find(({ id }) => id === item.id)
    if (before?.done === true) return
    const incoming = { place, principal: await this.#options.principalOf(item.from), signal }
    if (item.kind === 'said') await this.#said({ ...incoming, item })
    else if (item.kind === 'pressed') await this.#pressed({ ...incoming, item })
    else await this.#filled({ ...incoming, item })
    await records.commit(place.key, () => [{ type: 'done', id: item.id }])
  }

  /** A command that only its person sees, as if they had said it in their direct messages; undefined where there are none. */
  async #inDirect(item: SaidItem, signal: AbortSignal): Promise<SaidItem | undefined> {
    const { adapter, user, thread: usedIn } = item.from
    const name = this.#options.platforms.get(adapter)?.adapter.name ?? adapter
    const workspace = directWorkspace(name, item.from.workspace)
    const from = { ...item.from, workspace, isDirect: true }
    const opened = await this.#options.sender.open(
      originatorAt({ adapter, workspace, user }, await this.#options.principalOf(from)),
      signal,
    )
    if ('status' in opened) {
      this.#check(opened)
      return undefined
    }
    const { thread, platform } = opened
    const isThere = platform.adapter.channelIdFromThreadId(usedIn) === platform.adapter.channelIdFromThreadId(thread)
    if (!isThere) {
      const message = { markdown: literalText(name, notices.answersDirectly) }
      const told = (api: Platform['adapter']) => api.postEphemeral?.(usedIn, user, message) ?? Promise.resolve(null)
      await platform.call(workspace, told, signal)
    }
    return { ...item, from: { ...from, thread } }
  }

  async #said(incoming: Incoming<SaidItem>): Promise<void> {
    const { item, place } = incoming
    const adapter = place.platform.adapter
    const text = withoutMention(withoutHidden(item.text), [adapter.userName, adapter.botUserId])
    if (text.length > this.#options.maxTextLength) return this.#say(incoming, notices.tooLarge)
    if (item.files.length === 0 && (await this.#isAnswer(incoming, text))) return
    if (item.from.isDirect && newSessionWords.has(text.toLowerCase())) {
      await this.#options.threads.sessionFor(this.#writer(incoming), item, { isFresh: true })
      return this.#say(incoming, notices.begun)
    }
    const { session, owner } = await this.#options.threads.sessionFor(this.#writer(incoming), item)
    await this.#post(incoming, { session, owner }, async () => [
      ...(text === '' ? [] : [messagePart(text)]),
      ...(await takeFiles(item, place.platform, session, this.#options, incoming.signal)),
    ])
  }

  /** Whether the text decides the one request that waits in this thread, or tries to; then it is handled. */
  async #isAnswer(incoming: Incoming<SaidItem>, text: string): Promise<boolean> {
    const { place, principal, item } = incoming
    const { records, sessions } = this.#options
    const { asks } = await records.load(place.key)
    const worded = decisionFromWords(text)
    const recent = asks.filter(({ messageIds }) => messageIds.length > 0)
    if (recent.length === 0 || (worded === 'unclear' && !/^\W*(?:yes|no|ok|approve|deny)\b/i.test(text))) return false
    // Words of people who may not decide are words of the conversation.
    const { items } = await sessions.approvals({ limit: 200 }, principal)
    const open = recent.filter((ask) => items.some(({ approvalId }) => approvalId === ask.approvalId))
    const [ask] = open
    if (ask === undefined) return false
    if (worded !== 'unclear' && open.length === 1) {
      await this.#decide(incoming, ask, worded, item.from.name)
      return true
    }
    if (ask.unclear >= maxReasks) return false
    await records.commit(place.key, (state) => {
      const isNew = state.came.every(({ id }) => id !== item.id)
      const came = { type: 'came' as const, id: item.id, session: '', at: item.at }
      return isNew ? [came, { type: 'unclear', approvalIds: [ask.approvalId] }] : []
    })
    await this.#say(incoming, notices.unclear)
    return true
  }

  async #pressed(incoming: Incoming<PressedItem>): Promise<void> {
    const { item, place } = incoming
    const { records, cards, sender } = this.#options
    const payload = readPayload(item.action, item.value)
    const at = { ...item.from, messageId: item.messageId }
    const known = await cards.find(place.platform, at)
    await sender.recorded(place, item.messageId, known !== undefined)
    const card = known ?? (await cards.find(place.platform, at))
    if (payload === undefined || card === undefined) return this.#tell(incoming, notices.notAsked)
    const state = await records.load(card.place)
    if ('pick' in payload) return this.#picked(incoming, card, payload.pick)
    // Its form could not be opened.
    if ('form' in payload) return this.#tell(incoming, notices.outdated)
    const ask = state.asks.find(({ approvalId, messageIds }) => {
      return approvalName(approvalId) === payload.approval && messageIds.includes(item.messageId)
    })
    if (ask === undefined) return this.#tell(incoming, notices.notAsked)
    await this.#decide(incoming, ask, { decision: payload.decision }, item.from.name)
  }

  /** Decides as the person who pressed or said it: whether they may is not for the message to say. */
  async #decide(incoming: Incoming<IncomingItem>, ask: Ask, decision: Decision, name: string): Promise<void> {
    const { sessions, decided, runtime } = this.#options
    const { principal, item, signal } = incoming
    const { approvalId, session } = ask
    await decided.whilePressed(approvalId, async () => {
      const dedupeKey = `chat:${item.id}`
      const outcome = await sessions.decide(approvalId, { ...decision, via: 'chat', dedupeKey }, principal, session)
      switch (outcome) {
        case 'decided': {
          const word = decision.decision === 'granted' ? 'Approved' : 'Denied'
          const text = `${word} by ${withoutHidden(name)}, ${momentText(runtime.clock.now())}.`
          return decided.close(session, approvalId, text, signal)
        }
        case 'notFound':
          return this.#tell(incoming, notices.notYours)
        case 'already':
        case 'expired': {
          const text = await this.#closedText(ask, outcome)
          await decided.close(session, approvalId, text, signal)
          return this.#tell(incoming, text)
        }
      }
    })
  }

  async #closedText({ approvalId, session }: Ask, outcome: 'already' | 'expired'): Promise<string> {
    const { sessions, tenant } = this.#options
    const { decision } = await approvalRecord(sessions, { approvalId, session, tenant, transport: 'chat' })
    return decision === undefined ? notices[outcome] : decidedText(decision)
  }

  /** What a form says: its button was pressed with these values. */
  async #filled(incoming: Incoming<FilledItem>): Promise<void> {
    const { records, threads, cards, runtime, forms } = this.#options
    const { item, place, principal } = incoming
    const card = await cards.find(place.platform, { ...item.from, messageId: item.messageId })
    const action = card && (await forms.actionOf(card, item.number, principal))
    const context = action && filledContext(action, item.values)
    if (card === undefined || action === undefined || context === undefined) {
      return this.#tell(incoming, notices.outdated)
    }
    const owner = threads.ownerIn(await records.load(card.place), card.session) ?? principal
    await this.#came(place.key, item.id, card.session)
    const said = { ...incoming, place: { ...place, key: card.place } }
    const pressed = pressPart({ ...action, context }, runtime.clock.now())
    await this.#post(said, { session: card.session, owner }, async () => [pressed])
  }

  async #came(place: string, id: string, session: string): Promise<void> {
    await this.#options.records.commit(place, (state) => {
      const isNew = state.came.every((one) => one.id !== id)
      return isNew ? [{ type: 'came', id, session, at: this.#options.runtime.clock.now() }] : []
    })
  }

  /** A choice is for the session that offered it, whatever the thread is about by now. */
  async #picked(incoming: Incoming<PressedItem>, card: SentCard, number: number): Promise<void> {
    const { records, threads } = this.#options
    const { item } = incoming
    const owner = threads.ownerIn(await records.load(card.place), card.session) ?? incoming.principal
    await this.#came(incoming.place.key, item.id, card.session)
    const place = this.#placeOf({ ...item.from, thread: card.thread })
    if (place === undefined) return
    const said = { ...incoming, place: { ...place, key: card.place } }
    await this.#post(said, { session: card.session, owner }, async () => [messagePart(String(number))], item.messageId)
  }

  async #post(
    incoming: Incoming<IncomingItem>,
    { session, owner }: { readonly session: string; readonly owner: Principal },
    partsFor: () => Promise<readonly Part[]>,
    pressedIn?: string,
  ): Promise<void> {
    const { records, threads, sessions, partTypes, runtime, live } = this.#options
    const { place, principal, item } = incoming
    try {
      const said = await partsFor()
      if (said.length === 0) return await this.#say(incoming, notices.unreadable)
      const from = originatorAt(place, principal)
      const list = async () => listFor(await records.load(place.key), { session, repliesTo: pressedIn })
      const to = { ...from, principal: owner }
      const parts = await withChoice(said, list, { sessions, session, to, partTypes, now: runtime.clock.now() })
      if (pressedIn !== undefined && parts === said) return await this.#tell(incoming, notices.outdated)
      const writer = { place: place.key, principal, isDirect: item.from.isDirect }
      const posted = await threads.post(writer, { session, owner }, { parts, from, dedupeKey: `chat:${item.id}` })
      if (posted !== undefined) live.begin({ place, ...posted })
      await this.#sayThatItWaits(incoming, posted?.session ?? session)
    } catch (error) {
      const notice = refusalOf(error)
      if (notice === undefined) throw error
      await this.#say(incoming, notice)
    }
  }

  /** Says, once for each request, that messages of its session wait until it is decided. */
  async #sayThatItWaits({ place, item, signal }: Incoming<IncomingItem>, session: string): Promise<void> {
    const { records, sessions, sender } = this.#options
    const ask = await waitsFor(sessions, session, (await records.load(place.key)).asks)
    if (ask === undefined) return
    const text = waitsText(notices.howToDecide, item.from.isDirect ? notices.startOver : notices.elsewhere)
    this.#check(await sender.notice(place, text, `waits:${ask.approvalId}`, signal))
  }

  /** Says something in the thread. */
  async #say({ place, item, signal }: Incoming<IncomingItem>, text: string): Promise<void> {
    this.#check(await this.#options.sender.notice(place, text, item.id, signal))
  }

  /** Tells the person who pressed something, unseen by the others where the platform has that. */
  async #tell(incoming: Incoming<IncomingItem>, text: string): Promise<void> {
    const { place, item, signal } = incoming
    const { adapter } = place.platform
    const message = { markdown: literalText(adapter.name, text) }
    if (adapter.postEphemeral === undefined || item.from.isDirect) return this.#say(incoming, text)
    const told = await place.platform.call(
      place.workspace,
      (api) => api.postEphemeral?.(place.thread, item.from.user, message) ?? Promise.resolve(null),
      signal,
    )
    if ('failure' in told || told.done === null) return this.#say(incoming, text)
  }

  /** What could not be said now is an error, so that the item is handled again; a refusal is not. */
  #check({ status, reason }: SendOutcome): void {
    if (status === 'failed') throw new BeachError('UNREACHABLE', reason ?? 'The platform was not reached.')
    if (status === 'refused') this.#options.runtime.logger.log('warn', 'a notice was refused', { reason })
  }

  #writer({ place, principal, item }: Incoming<IncomingItem>) {
    return { place: place.key, principal, isDirect: item.from.isDirect }
  }

  #placeOf({ adapter, workspace, thread }: Pick<Sender, 'adapter' | 'workspace' | 'thread'>): OpenPlace | undefined {
    const platform = this.#options.platforms.get(adapter)
    return platform && { adapter, workspace, thread, key: placeKey({ adapter, workspace, thread }), platform }
  }
}

interface Incoming<Item extends IncomingItem> {
  readonly item: Item
  readonly place: OpenPlace
  readonly principal: Principal
  readonly signal: AbortSignal
}

function messagePart(text: string): Part {
  return { text, metadata: { partType: 'message' } }
}

/** The text without the agent’s name at its beginning, by which it was called. */
function withoutMention(text: string, names: readonly (string | undefined)[]): string {
  const trimmed = text.trim()
  for (const name of names) {
    if (name === undefined || name === '') continue
    for (const mention of [`<@${name}>`, `<@!${name}>`, `@${name}`]) {
      if (trimmed.toLowerCase().startsWith(mention.toLowerCase())) {
        return trimmed.slice(mention.length).replace(/^[\s,:]+/, '')
      }
    }
  }
  return trimmed
}

/** What a person is told of an error that a retry does not cure. */
function refusalOf(error: unknown): string | undefined {
  if (isOutdated(error)) return notices.outdated
  if (!isBeachError(error) || error.retryable) return undefined
  if (error.code === 'TOO_LARGE' || error.code === 'COMMIT_TOO_LARGE') return notices.tooLarge
  if (error.message === notices.noFiles) return notices.noFiles
  return error.code === 'STORE_CLOSED' || error.code === 'LEASE_LOST' ? undefined : notices.fileRefused
}
