import { createHash } from 'node:crypto'
import type { OfferedList } from '@cool-ai/beach-channel/people'
import type { Principal, Store } from '@cool-ai/beach-core'
import type { TokenGrant } from './approval-token.ts'

/** The recipient of a mail of ours, and its conversation. */
export interface SentMail {
  readonly session: string
  readonly address: string
  readonly principal: Principal
  /** When it was first sent, and what can be chosen in it; absent where nothing can. */
  readonly at?: number
  readonly list?: OfferedList
}

/** What has become of a button of a mail. */
export interface MailPress {
  /** When it was pressed first: each attempt to pass it on says the same time. */
  readonly at: number
  /** True once the session has it. */
  readonly isDone: boolean
}

/** What the channel must know over restarts, as keys of the store. All of it can be written twice without harm. */
export class MailRecords {
  readonly #store: Store
  readonly #prefix: string

  constructor(store: Store, tenant: string) {
    this.#store = store
    this.#prefix = `email:${encodeURIComponent(tenant)}:`
  }

  /** Recorded before a mail is sent: its recipient. */
  async keepSentMail(mail: string, about: SentMail): Promise<void> {
    await this.#index(about.address, `out:${mail}`)
    await this.#store.bind(`${this.#prefix}out:${mail}`, JSON.stringify(about))
  }

  async sentMail(mail: string): Promise<SentMail | undefined> {
    return this.#read<SentMail>(`out:${mail}`)
  }

  async markSent(mail: string): Promise<void> {
    await this.#store.bind(`${this.#prefix}sent:${mail}`, '1')
  }

  async wasSent(mail: string): Promise<boolean> {
    return (await this.#get(`sent:${mail}`)) !== undefined
  }

  /** Recorded after a mail has been handled: the session that it went into, or nothing when it went into none. */
  async markTaken(messageKey: string, session = ''): Promise<void> {
    await this.#store.bind(`${this.#prefix}in:${messageKey}`, session)
  }

  /** The session of a mail that was handled before, empty when it went into none; undefined for a new one. */
  async taken(messageKey: string): Promise<string | undefined> {
    return this.#get(`in:${messageKey}`)
  }

  async keepGrant(hash: string, grant: TokenGrant): Promise<void> {
    const asked = askedName(grant.approvalId, grant.approver)
    for (const name of [`token:${hash}`, asked]) await this.#index(grant.approver, name)
    await this.#store.bind(`${this.#prefix}token:${hash}`, JSON.stringify(grant))
    await this.#store.bind(this.#prefix + asked, JSON.stringify(grant))
  }

  async grant(hash: string): Promise<TokenGrant | undefined> {
    return this.#read<TokenGrant>(`token:${hash}`)
  }

  /** The grant of an approver who was asked by mail. */
  async grantOf(approvalId: string, approver: string): Promise<TokenGrant | undefined> {
    return this.#read<TokenGrant>(askedName(approvalId, approver))
  }

  /** One of `max` places, as long as one is free; the same name gets the same place again. */
  async takePlace(kind: string, name: string, max: number): Promise<boolean> {
    const taker = createHash('sha256').update(name).digest('hex').slice(0, 32)
    for (let place = 1; place <= max; place++) {
      if ((await this.#store.bind(`${this.#prefix}${kind}:${place}`, taker)) === taker) return true
    }
    return false
  }

  /** Notes that a button of a mail is pressed; the first time counts. */
  async beginPress(mail: string, number: number, address: string, at: number): Promise<number> {
    const name = `press:${mail}:${number}`
    await this.#index(address, name)
    return Number(await this.#store.bind(this.#prefix + name, String(at)))
  }

  async finishPress(mail: string, number: number, address: string, at: number): Promise<void> {
    const name = `pressed:${mail}:${number}`
    await this.#index(address, name)
    await this.#store.bind(this.#prefix + name, String(at))
  }

  /** Takes back a press that was refused: nothing was done. */
  async undoPress(mail: string, number: number): Promise<void> {
    await this.#store.unbind(`${this.#prefix}press:${mail}:${number}`)
  }

  async press(mail: string, number: number): Promise<MailPress | undefined> {
    const begun = await this.#get(`press:${mail}:${number}`)
    const isDone = (await this.#get(`pressed:${mail}:${number}`)) !== undefined
    return begun === undefined ? undefined : { at: Number(begun), isDone }
  }

  async markUndeliverable(address: string, reason: string): Promise<void> {
    await this.#store.bind(`${this.#prefix}undeliverable:${address}`, reason)
  }

  async undeliverable(address: string): Promise<string | undefined> {
    return this.#get(`undeliverable:${address}`)
  }

  async clearUndeliverable(address: string): Promise<void> {
    if ((await this.undeliverable(address)) !== undefined) {
      await this.#store.unbind(`${this.#prefix}undeliverable:${address}`)
    }
  }

  /** Forgets the mails and tokens of this address. */
  async forget(address: string): Promise<void> {
    await this.clearUndeliverable(address)
    const start = `${this.#prefix}of:${address}:`
    for (;;) {
      const entries = await this.#store.list(start, undefined, 100)
      if (entries.length === 0) return
      for (const { key, value } of entries) {
        await this.#store.unbind(this.#prefix + value)
        await this.#store.unbind(key)
      }
    }
  }

  /** Recorded before something is kept about an address: where. */
  async #index(address: string, name: string): Promise<void> {
    await this.#store.bind(`${this.#prefix}of:${address}:${name}`, name)
  }

  /** The read position of a mailbox: the highest UID up to which all mails have been handled. */
  async readUpTo(mailbox: string): Promise<number | undefined> {
    const last = (await this.#places(mailbox)).at(-1)
    return last === undefined ? undefined : Number(last.value)
  }

  async markReadUpTo(mailbox: string, uid: number): Promise<void> {
    const start = `${this.#prefix}${mailbox}:`
    await this.#store.bind(`${start}${String(uid).padStart(10, '0')}`, String(uid))
    const places = await this.#places(mailbox)
    for (const { key } of places.slice(0, -1)) await this.#store.unbind(key)
  }

  async firstSight(mailbox: string, note: string): Promise<string> {
    return this.#store.bind(`${this.#prefix}first:${mailbox}`, note)
  }

  #places(mailbox: string) {
    return this.#store.list(`${this.#prefix}${mailbox}:`, undefined, 100)
  }

  async #read<Value>(name: string): Promise<Value | undefined> {
    const text = await this.#get(name)
    return text === undefined ? undefined : (JSON.parse(text) as Value)
  }

  async #get(name: string): Promise<string | undefined> {
    const key = this.#prefix + name
    const [found] = await this.#store.list(key, undefined, 1)
    return found?.key === key ? found.value : undefined
  }
}

function askedName(approvalId: string, approver: string): string {
  return `asked:${approvalId}:${approver}`
}

/** The name of a mail that came in: its Message-ID counts for its sender only. */
export function messageKeyOf(messageId: string, from: string): string {
  return createHash('sha256').update(`${from}\n${messageId}`).digest('hex').slice(0, 40)
}
