import { started } from '@cool-ai/beach-channel'
import { errorResponse, readBytes } from '@cool-ai/beach-channel/http'
import { Inbox, inboxName, PersonLog } from '@cool-ai/beach-channel/people'
import {
  BeachError,
  type Channel,
  type ChannelContext,
  type Originator,
  type Principal,
  type PushPolicy,
} from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { withDefaults } from '@cool-ai/beach-core/runtime'
import { CardIndex } from './card-index.ts'
import { ChatIntake } from './chat-intake.ts'
import { ChatSender } from './chat-sender.ts'
import { DecidedCards } from './decided-cards.ts'
import { Drafts } from './drafts.ts'
import { FormButtons } from './form-buttons.ts'
import { OpenedForms } from './forms.ts'
import type { IncomingChatOptions } from './incoming-chat.ts'
import type { IncomingItem } from './incoming-item.ts'
import { LiveAnswers } from './live-answers.ts'
import { chatDefaults, type ChatChannelOptions, type ChatUser } from './options.ts'
import { placeKey, placeOf } from './places.ts'
import { Platform } from './platform.ts'
import { StoreState } from './store-state.ts'
import { Threads } from './threads.ts'

const defaultPush: PushPolicy = { attempts: 10, firstDelayMs: 2_000, maxDelayMs: 15 * 60_000, timeoutMs: 120_000 }
const path = '/channels/chat/'
const adapterName = /^[a-z][a-z0-9-]{0,39}$/
const maxBodyBytes = 1024 * 1024

/** Work chats: Slack, Teams, Discord, Google Chat, Telegram and others, each by its adapter of Chat SDK. */
export function chatChannel(options: ChatChannelOptions): Channel {
  const names = Object.keys(options.adapters)
  const wrong = names.find((name) => !adapterName.test(name))
  if (names.length === 0 || wrong !== undefined) {
    const problem = wrong === undefined ? '`adapters` is empty' : `'${wrong}' cannot be a part of a path`
    throw new BeachError('INVALID_CONFIGURATION', `The work chat cannot be set up: ${problem}.`)
  }
  let made: ReturnType<typeof openChat> | undefined
  return {
    transport: 'chat',
    deliveryClass: 'buffered',
    paths: [`${path}:adapter`],
    push: withDefaults(defaultPush, options.push),
    async start(context) {
      made = openChat(options, context)
      await made.start(context.signal)
    },
    async drain() {
      await made?.live.drain()
    },
    fetch: async (request) => started(made).fetch(request),
    reaches: (to) => names.includes(placeOf(to)?.adapter ?? ''),
    send: async (to, envelope, key, signal) => started(made).sender.send(to, envelope, key, signal),
    async preview(turn) {
      const { chatPreview } = await import('./chat-preview.ts')
      const { context } = started(made)
      const [first] = Object.values(options.adapters)
      return chatPreview({ partTypes: context.partTypes, adapterName: first?.name })(turn)
    },
    openapi: async () => (await import('./chat-openapi.ts')).chatOpenApi(),
    forget: async (who) => started(made).forget(who),
  }
}

/** What the channel consists of, once the agent has given it what it needs. */
function openChat(options: ChatChannelOptions, context: ChannelContext) {
  const { store, runtime, tenant, sessions } = context
  const settings = { ...options, ...withDefaults(chatDefaults, options) }
  const records = new PersonLog(store, 'chat', tenant)
  const state = new StoreState(store, runtime, tenant)
  const cards = new CardIndex(store, tenant)
  const platforms = new Map<string, Platform>()
  const decided = new DecidedCards({ index: cards, platforms, sessions, runtime, tenant })
  const drafts = new Drafts(store, runtime, tenant)
  const live = new LiveAnswers({ sessions, runtime, drafts, editEveryMs: options.editEveryMs })
  const sender = new ChatSender({ ...context, threads: records, platforms, cards, decided, live, opened: state })
  const { newSessionAfterMs } = settings
  const threads = new Threads({ records, sessions, tenant, newSessionAfterMs })
  const principalOf = principals(options, tenant)
  const shared = { ...context, ...settings, principalOf, records, threads, platforms, cards }
  const forms = new FormButtons({ ...shared, opened: new OpenedForms(state, runtime) })
  const intake = new ChatIntake({ ...shared, sender, decided, live, forms })
  const openForm: IncomingChatOptions['openForm'] = (pressed) => forms.open(pressed)
  const filledIn: IncomingChatOptions['filledIn'] = (form, filled) => forms.filledIn(form, filled)
  const inbox = new Inbox<IncomingItem>({
    store,
    runtime,
    name: inboxName('chat', tenant),
    work: (item, signal) => intake.take(item, signal),
  })
  const take = async (item: IncomingItem) => {
    if (!(await intake.wants(item))) return
    const place = placeKey(item.from)
    await inbox.add(`${place}.${item.id}`, place, item)
  }
  for (const [name, adapter] of Object.entries(options.adapters)) {
    platforms.set(name, new Platform({ name, adapter, state, runtime, take, openForm, filledIn }))
  }

  async function receive(request: Request): Promise<Response> {
    const name = new URL(request.url).pathname.split('/').at(-1) ?? ''
    const platform = platforms.get(name)
    if (platform === undefined) throw new BeachError('NOT_FOUND', 'There is no such work chat.')
    if (request.method !== 'POST' && request.method !== 'GET') {
      throw new BeachError('METHOD_NOT_ALLOWED', 'Use POST here.', { details: { allow: 'GET, POST' } })
    }
    inbox.checkRunning()
    if (request.method === 'GET') return platform.receive(request)
    const body = await readBytes(request, maxBodyBytes, { clock: runtime.clock })
    const { url, headers } = request
    return platform.receive(new Request(url, { method: 'POST', headers, body: new Uint8Array(body) }))
  }

  return {
    sender,
    live,
    context,
    async start(signal: AbortSignal) {
      await Promise.all([...platforms.values()].map((platform) => platform.start()))
      signal.addEventListener('abort', () => platforms.forEach((platform) => void platform.stop()), { once: true })
      live.start(signal)
      await decided.start(signal)
      await inbox.start(signal)
    },
    async fetch(request: Request): Promise<Response> {
      try {
        return await receive(request)
      } catch (error) {
        return errorResponse(error, runtime)
      }
    },
    /** Forgets what is remembered of a person besides the sessions: all of a conversation that is theirs, else them in it. */
    async forget(who: Originator) {
      const place = placeOf(who)
      if (place === undefined) return
      const thread = place.thread ?? (await sender.forgetOpened(place))
      const key = placeKey({ ...place, thread })
      const name = principalKey(who.principal)
      const { current } = await records.load(key)
      if (current !== undefined && current.owner !== name) {
        // Others write there too.
        await inbox.forget(async ({ from }) => placeKey(from) === key && principalKey(await principalOf(from)) === name)
        return records.unname(key, who.principal.id)
      }
      await inbox.forget(async ({ from }) => placeKey(from) === key)
      await cards.forget(key)
      await records.forget(key)
      if (thread !== undefined) await platforms.get(place.adapter)?.forget(thread)
    },
  }
}

/** Who a person is: what the application says, or a user of its own. */
function principals({ principalOf }: ChatChannelOptions, tenant: string) {
  return async ({ adapter, workspace, user }: ChatUser): Promise<Principal> => {
    const known = await principalOf?.({ adapter, workspace, user })
    if (known !== undefined && known.tenant !== tenant) {
      throw new BeachError('INVALID_CONFIGURATION', `principalOf must give a principal of the tenant '${tenant}'.`)
    }
    return known ?? { kind: 'user', id: `${adapter}:${workspace}:${user}`, tenant }
  }
}
