import { createHash } from 'node:crypto'
import { eachKey } from '@cool-ai/beach-channel/people'
import { chatAskPrefix, chatCardPrefix } from '@cool-ai/beach-channel/retention'
import type { Store } from '@cool-ai/beach-core'
import type { Platform } from './platform.ts'

/** A message of ours with buttons: where it is, and what it asks. */
export interface SentCard {
  readonly adapter: string
  readonly workspace: string
  readonly thread: string
  /** The place whose record has what can be chosen in it. */
  readonly place: string
  readonly messageId: string
  readonly session: string
  /** The approval that is asked for. */
  readonly ask?: { readonly approvalId: string; readonly title: string } | undefined
}

/** Where a button was pressed. */
export interface PressedAt {
  readonly workspace: string
  readonly thread: string
  readonly messageId: string
}

/** Finds messages with buttons again: by a press, since it names no thread of ours, and by the approval they ask for. */
export class CardIndex {
  readonly #store: Store
  readonly #tenant: string

  constructor(store: Store, tenant: string) {
    this.#store = store
    this.#tenant = encodeURIComponent(tenant)
  }

  async add(platform: Platform, card: SentCard): Promise<void> {
    const value = JSON.stringify(card)
    const key = this.#cardKey(platform, card.workspace, card.thread, card.messageId)
    await this.#store.bind(key, value)
    if (card.ask !== undefined) await this.#store.bind(`${this.#asks(card.session)}${digest(key)}`, value)
  }

  /** The message in which a button was pressed; undefined when it is none of ours. */
  async find(platform: Platform, at: PressedAt): Promise<SentCard | undefined> {
    return this.named(this.nameOf(platform, at))
  }

  /** The name by which a message is kept. */
  nameOf(platform: Platform, { workspace, thread, messageId }: PressedAt): string {
    return this.#cardKey(platform, workspace, thread, messageId)
  }

  async named(key: string): Promise<SentCard | undefined> {
    const [found] = await this.#store.list(key, undefined, 1)
    return found?.key === key ? (JSON.parse(found.value) as SentCard) : undefined
  }

  /** The messages that ask for approvals of a session, and still have buttons. */
  async open(session: string): Promise<readonly { readonly key: string; readonly card: SentCard }[]> {
    const found: { key: string; card: SentCard }[] = []
    for await (const { key, value } of eachKey(this.#store, this.#asks(session))) {
      found.push({ key, card: JSON.parse(value) as SentCard })
    }
    return found
  }

  /** The sessions with such messages. */
  async sessions(): Promise<ReadonlySet<string>> {
    const found = new Set<string>()
    for await (const { value } of eachKey(this.#store, `${chatAskPrefix}${this.#tenant}:`)) {
      found.add((JSON.parse(value) as SentCard).session)
    }
    return found
  }

  async close(key: string): Promise<void> {
    await this.#store.unbind(key)
  }

  /** Forgets what is remembered of a place. */
  async forget(place: string): Promise<void> {
    for (const prefix of [chatCardPrefix, chatAskPrefix]) {
      for await (const { key, value } of eachKey(this.#store, `${prefix}${this.#tenant}:`)) {
        if ((JSON.parse(value) as SentCard).place === place) await this.#store.unbind(key)
      }
    }
  }

  /** A press in a direct conversation names the message as its thread: only its channel is certain. */
  #cardKey({ name, adapter }: Platform, workspace: string, thread: string, messageId: string): string {
    const words = JSON.stringify([name, workspace, adapter.channelIdFromThreadId(thread), messageId])
    return `${chatCardPrefix}${this.#tenant}:${digest(words)}`
  }

  #asks(session: string): string {
    return `${chatAskPrefix}${this.#tenant}:${session}:`
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 32)
}
