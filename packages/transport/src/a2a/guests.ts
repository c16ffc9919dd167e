import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { BeachError, type Principal, type Runtime } from '@cool-ai/beach-core'
import { encodeId } from '@cool-ai/beach-core/runtime'
import { isHardToGuess, requireHardToGuess } from '../live/guest-name.ts'
import { noSuchTask, placeOf } from './task-id.ts'

/** A context of a caller without a credential: each belongs to a guest of its own. */
export interface GuestContext {
  /** What the guest has and nobody else: it names the context and, with a seq, its tasks. */
  readonly key: string
  readonly session: string
  readonly principal: Principal
}

export interface GuestsOptions {
  /** Guests and their sessions follow from the keys by this, and not the other way round. */
  readonly secret: Uint8Array
  readonly tenant: string
}

const keyForm = /^ctx_[0-9a-z]{26}$/

/** True for a key, as a name that we have given a context. */
export function isGuestKey(contextId: string): boolean {
  return keyForm.test(contextId)
}

/**
 * Finds the contexts of callers without a credential. They have nothing else to show, so the id of a context, or of a
 * task, is itself the credential: whoever has not been told it gets nowhere, from wherever they come.
 */
export class Guests {
  readonly #secret: KeyObject
  readonly #tenant: string
  readonly #runtime: Runtime

  constructor({ secret, tenant }: GuestsOptions, runtime: Runtime) {
    this.#secret = createSecretKey(secret)
    this.#tenant = tenant
    this.#runtime = runtime
  }

  /** The context that a task's id names. */
  ofTask(taskId: string): GuestContext {
    const { session: key } = placeOf(taskId)
    if (!isGuestKey(key)) throw noSuchTask()
    return this.#context(key)
  }

  /** The context of this name: a key, or a name of the guest's own, which others must not be able to guess. */
  named(contextId: string): GuestContext {
    if (isGuestKey(contextId)) return this.#context(contextId)
    if (contextId.startsWith('sess_')) throw noSuchContext()
    requireHardToGuess('contextId', contextId, 'context')
    return this.#context(this.#keyFrom('context', contextId))
  }

  /**
   * The context that a message without one begins. It is the same when the message comes again, if only its sender can
   * know the message's id; one with an id that others may use as well begins another each time.
   */
  begunBy(messageId: string, key: string): GuestContext {
    return this.#context(isHardToGuess(messageId) ? this.#keyFrom('message', key) : this.#runtime.id('ctx'))
  }

  #keyFrom(kind: 'context' | 'message', name: string): string {
    return `ctx_${encodeId(this.#digest(`a2a-${kind}`, name).subarray(0, 16))}`
  }

  #context(key: string): GuestContext {
    const digest = this.#digest('a2a-guest', key)
    const principal: Principal = {
      kind: 'anonymous',
      id: `a2a_${encodeId(digest.subarray(0, 16))}`,
      tenant: this.#tenant,
    }
    return { key, principal, session: `sess_${encodeId(digest.subarray(16))}` }
  }

  #digest(purpose: string, text: string): Buffer {
    return createHmac('sha256', this.#secret).update(`beach-${purpose}:${text}`).digest()
  }
}

export function noSuchContext(): BeachError {
  const message = 'There is no such context, or it is not yours. Leave contextId out for a new one.'
  return new BeachError('BAD_REQUEST', message)
}
