import type { KeyObject } from 'node:crypto'
import { isHardToGuess, requireHardToGuess } from '@cool-ai/beach-channel/live'
import { BeachError, type Principal, type Runtime, type Sessions } from '@cool-ai/beach-core'
import { encodeId, ifFound } from '@cool-ai/beach-core/runtime'
import { hmacOf, secretKeys, type Secret } from '@cool-ai/beach-core/tokens'
import { noSuchTask, placeOf } from './task-id.ts'

/** A context of a caller without a credential: each belongs to a guest of its own. */
export interface GuestContext {
  /** The guest's secret: it names the context and, with a seq, its tasks. */
  readonly key: string
  readonly session: string
  readonly principal: Principal
}

export interface GuestsOptions {
  /** Guests and their sessions follow from the keys by this, and not the other way round. */
  readonly secret: Secret
  readonly tenant: string
}

const keyForm = /^ctx_[0-9a-z]{26}$/

/** True for a key, as a name that we have given a context. */
export function isGuestKey(contextId: string): boolean {
  return keyForm.test(contextId)
}

/**
 * Finds the contexts of callers without a credential. They have nothing else to show, so the id of a context, or of a
 * task, is itself the credential: a caller that does not know it gets nothing.
 */
export class Guests {
  readonly #secrets: readonly [KeyObject, ...KeyObject[]]
  readonly #tenant: string
  readonly #runtime: Runtime
  readonly #sessions: Sessions

  constructor({ secret, tenant }: GuestsOptions, runtime: Runtime, sessions: Sessions) {
    this.#secrets = secretKeys(secret)
    this.#sessions = sessions
    this.#tenant = tenant
    this.#runtime = runtime
  }

  /** The context that a task's id names. */
  async ofTask(taskId: string): Promise<GuestContext> {
    const { session: key } = placeOf(taskId)
    if (!isGuestKey(key)) throw noSuchTask()
    return this.#context(() => key)
  }

  /** The context of this name: a key, or a name of the guest's own, which others must not be able to guess. */
  async named(contextId: string): Promise<GuestContext> {
    if (isGuestKey(contextId)) return this.#context(() => contextId)
    if (contextId.startsWith('sess_')) throw noSuchContext()
    requireHardToGuess('contextId', contextId, 'context')
    return this.#context((secret) => keyFrom(secret, 'context', contextId))
  }

  /**
   * The context that a message without one begins. It is the same when the message comes again, if only its sender can
   * know the message's id; one with an id that others may use as well begins another each time.
   */
  async begunBy(messageId: string, key: string): Promise<GuestContext> {
    if (isHardToGuess(messageId)) return this.#context((secret) => keyFrom(secret, 'message', key))
    return this.#at(this.#secrets[0], this.#runtime.id('ctx'))
  }

  /** The context of a key; one that an earlier secret has led to stays where it is. */
  async #context(keyBy: (secret: KeyObject) => string): Promise<GuestContext> {
    const [first, ...earlier] = this.#secrets
    for (const secret of earlier) {
      const context = this.#at(secret, keyBy(secret))
      if (await ifFound(this.#sessions.checkAccess(context.session, context.principal))) return context
    }
    return this.#at(first, keyBy(first))
  }

  #at(secret: KeyObject, key: string): GuestContext {
    const digest = hmacOf(secret, `beach-a2a-guest:${key}`)
    const principal: Principal = {
      kind: 'anonymous',
      id: `a2a_${encodeId(digest.subarray(0, 16))}`,
      tenant: this.#tenant,
    }
    return { key, principal, session: `sess_${encodeId(digest.subarray(16))}` }
  }
}

function keyFrom(secret: KeyObject, kind: 'context' | 'message', name: string): string {
  return `ctx_${encodeId(hmacOf(secret, `beach-a2a-${kind}:${name}`).subarray(0, 16))}`
}

export function noSuchContext(): BeachError {
  const message = 'There is no such context, or it is not yours. Leave contextId out for a new one.'
  return new BeachError('BAD_REQUEST', message)
}
