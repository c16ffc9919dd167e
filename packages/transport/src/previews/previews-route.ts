import {
  BeachError,
  principalKey,
  type Authenticator,
  type Channel,
  type ChannelPreview,
  type Runtime,
  type Sessions,
  type TurnPreview,
} from '@cool-ai/beach-core'
import { Hono } from 'hono'
import { errorResponse, jsonResponse } from '../http/responses.ts'

/** A channel that can say what it would send. */
export interface PreviewingChannel extends Pick<Channel, 'transport' | 'deliveryClass'> {
  readonly preview: NonNullable<Channel['preview']>
  /** False for a channel that this agent does not have, and that is shown as it would be. */
  readonly isConfigured: boolean
}

export interface PreviewsRouteOptions {
  readonly runtime: Runtime
  readonly sessions: Pick<Sessions, 'view' | 'preview'>
  readonly authenticate: Authenticator
  /** In the order in which they are shown. */
  readonly channels: readonly PreviewingChannel[]
}

const path = '/sessions/:id/turns/:turnId/previews'

/** What each channel would get of a turn, for the owner of its session. Nothing is sent or kept for it. */
export function previewsRoute(options: PreviewsRouteOptions): Pick<Channel, 'paths' | 'fetch'> {
  const { runtime, sessions, authenticate, channels } = options
  const app = new Hono()

  app.get(path, async ({ req }) => {
    const principal = await authenticate(req.raw)
    if (principal === undefined) {
      throw new BeachError('UNAUTHENTICATED', 'Send `Authorization: Bearer` with the token of `POST /sessions`.')
    }
    const session = req.param('id')
    const { owner } = await sessions.view(session, principal)
    const isOwner = owner !== undefined && principalKey(owner) === principalKey(principal)
    const turn = isOwner ? await sessions.preview(session, req.param('turnId'), principal) : undefined
    if (turn === undefined) throw new BeachError('NOT_FOUND', 'There is no such turn, or it is not yours.')
    const { turnId, turnState } = turn
    const previews = await Promise.all(channels.map((channel) => previewOf(channel, turn)))
    return jsonResponse({ turnId, turnState, previews })
  })

  app.all(path, () => {
    throw new BeachError('METHOD_NOT_ALLOWED', 'Use GET here.', { details: { allow: 'GET' } })
  })
  app.onError((error) => errorResponse(error, runtime.logger))

  /** One that cannot be made is no reason to show none. */
  async function previewOf({ transport, deliveryClass, isConfigured, preview }: PreviewingChannel, turn: TurnPreview) {
    const made = await preview(turn).catch((error: unknown): ChannelPreview => {
      runtime.logger.log('error', 'what a channel would send cannot be shown', { transport, error })
      return { label: transport, items: [], note: 'This could not be made. The agent’s log says why.' }
    })
    return { transport, deliveryClass, isConfigured, ...made }
  }

  return { paths: [path], fetch: async (request) => app.fetch(request) }
}
