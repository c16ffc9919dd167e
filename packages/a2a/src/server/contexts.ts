import { hash } from 'node:crypto'
import type { Message as A2aMessage } from '@a2a-js/sdk'
import { BeachError, type Principal, type Sessions } from '@cool-ai/beach-core'
import { principalKey } from '@cool-ai/beach-core/ports'
import { encodeId, ifFound } from '@cool-ai/beach-core/runtime'
import type { Caller } from './caller.ts'
import { isGuestKey, noSuchContext } from './guests.ts'

/** A context: the session that it is, and the caller's own name for it where it has one. */
export interface Context {
  readonly session: string
  readonly contextId?: string | undefined
  /** True when the session is that of one message, and so is most likely not there yet. */
  readonly isNew?: boolean
}

const maxNameLength = 256
const minted = /^sess_/

/** True when a context is named as we have named it: by its session, or by a guest's key. */
export function isMinted(contextId: string): boolean {
  return minted.test(contextId) || isGuestKey(contextId)
}

/** The caller's own name for a message's context; undefined when it names none, or one that we have named. */
export function contextNameOf({ contextId }: A2aMessage): string | undefined {
  return contextId === '' || isMinted(contextId) ? undefined : contextId
}

/**
 * The session of a message's context, which may have to be opened. It follows from the caller and the caller's name for
 * the context, so a caller cannot get into another's context by using its name, and no index is needed. A message without a
 * context has one of its own, the same one when it is sent again: that follows from the message's `key`.
 */
export function contextOf(message: A2aMessage, key: string, caller: Caller): Context {
  const { contextId } = message
  if (contextId === '') {
    const session = caller.guest?.session ?? sessionFor(caller.principal, 'message', key)
    return { session, isNew: true }
  }
  return { session: contextSession(contextId, caller), contextId: contextNameOf(message) }
}

/** Whether a session is there, and the caller's. */
async function isOwn(sessions: Sessions, session: string, principal: Principal): Promise<boolean> {
  return (await ifFound(sessions.checkAccess(session, principal))) !== undefined
}

/** Refuses a context that is named as we have named it, and is not the caller's. */
export async function requireOwn(sessions: Sessions, session: string, principal: Principal): Promise<void> {
  if (!(await isOwn(sessions, session, principal))) throw noSuchContext()
}

/** The session of a context by its name: the session's own id, or the caller's name. */
export function contextSession(contextId: string, { principal, guest }: Caller): string {
  if (contextId.length <= maxNameLength) {
    if (guest !== undefined) return guest.session
    return minted.test(contextId) ? contextId : sessionFor(principal, 'context', contextId)
  }
  throw new BeachError('BAD_REQUEST', `A contextId has at most ${maxNameLength} characters.`)
}

function sessionFor(principal: Principal, kind: 'message' | 'context', name: string): string {
  const key = JSON.stringify(['a2a', principal.tenant, principalKey(principal), kind, name])
  return `sess_${encodeId(hash('sha256', key, 'buffer').subarray(0, 16))}`
}
