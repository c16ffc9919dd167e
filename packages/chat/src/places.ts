import { createHash } from 'node:crypto'
import { BeachError, type Originator, type Principal } from '@cool-ai/beach-core'
import { defined, encodeId } from '@cool-ai/beach-core/runtime'
import type { ChatUser } from './options.ts'

/** A thread of a platform, or a person whose direct messages are one. */
export interface ChatPlace {
  readonly adapter: string
  readonly workspace: string
  /** Absent for a person who is written to first. */
  readonly thread?: string | undefined
  readonly user?: string | undefined
}

/** The name of a place in the store, which does not tell which place it is. */
export function placeKey({ adapter, workspace, thread, user }: ChatPlace): string {
  const words = JSON.stringify([adapter, workspace, thread ?? ['user', user]])
  return encodeId(createHash('sha256').update(words).digest().subarray(0, 16))
}

/** A person in a work chat, to be written to directly: for `sessions.join`, and for approvers who are asked there. */
export function chatOriginator(who: ChatUser & { readonly principal: Principal }): Originator {
  const { adapter, workspace, user, principal } = who
  if (adapter === '' || user === '') throw new BeachError('BAD_REQUEST', 'Name the adapter and the person’s id there.')
  return originatorAt({ adapter, workspace, user }, principal)
}

/** The listener of a place. All who write in a thread are answered there, once. */
export function originatorAt(place: ChatPlace, principal: Principal): Originator {
  const { adapter, workspace, thread, user } = place
  const id = `chat:${adapter}:${placeKey(place)}`
  const details = defined({ adapter, workspace, thread, user })
  return {
    id,
    transport: 'chat',
    deliveryClass: 'buffered',
    principal,
    address: thread ?? `${adapter}:${user}`,
    details,
  }
}

/** The place that an originator stands for; undefined for one of another shape, as an application may make it. */
export function placeOf({ details = {} }: Originator): ChatPlace | undefined {
  const { adapter, workspace, thread, user } = details
  if (typeof adapter !== 'string' || typeof workspace !== 'string') return undefined
  const names = defined({
    thread: typeof thread === 'string' ? thread : undefined,
    user: typeof user === 'string' ? user : undefined,
  })
  return names.thread === undefined && names.user === undefined ? undefined : { adapter, workspace, ...names }
}

const none = '-'

/** The workspace of a person's direct messages: those of Discord belong to none. */
export function directWorkspace(adapterName: string, workspace: string): string {
  return adapterName === 'discord' ? none : workspace
}

/** The workspace that an event of a platform came from, as its adapter hands it over. */
export function workspaceOf(raw: unknown): string {
  const event = recordOf(raw)
  const teams = recordOf(recordOf(recordOf(event.channelData).tenant))
  const found = [
    // First, because an activity of Teams has a `team` too, which is a part of the workspace.
    teams.id,
    recordOf(event.conversation).tenantId,
    event.team_id,
    recordOf(event.team).id,
    event.team,
    // An app of a whole organisation of Slack is told the workspace of the person only.
    recordOf(event.user).team_id,
    event.guild_id,
  ]
  return found.find((id) => typeof id === 'string' && id !== '')?.toString() ?? none
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
