import { jsonResponse } from '@cool-ai/beach-channel/http'
import { BeachError, type Authenticator, type Channel, type Runtime, type Sessions } from '@cool-ai/beach-core'
import { askAuthenticator, principalKey, type ChannelPreview, type TurnPreview } from '@cool-ai/beach-core/ports'

/** A channel that can say what it would send. */
export interface PreviewingChannel extends Pick<Channel, 'transport' | 'deliveryClass'> {
  readonly preview: NonNullable<Channel['preview']>
  /** False for a channel that this agent does not have, and that is shown as it would be. */
  readonly isConfigured: boolean
}

/** What previews of channels are made of. */
export interface PreviewRoutesOptions {
  readonly runtime: Runtime
  readonly sessions: Pick<Sessions, 'checkAccess' | 'preview'>
  readonly authenticate: Authenticator
  /** In the order in which they are shown; requested when a user opens the previews. */
  readonly channels: () => Promise<readonly PreviewingChannel[]>
}

type Params = Readonly<Record<string, string>>

/** What each channel would get of a turn, for the owner of its session. Nothing is sent or kept for it. */
export function previewAnswers(options: PreviewRoutesOptions) {
  const { runtime, sessions, authenticate, channels } = options

  const turnOf = async (request: Request, session: string, turnId: string): Promise<TurnPreview> => {
    const principal = (await askAuthenticator(authenticate, request))?.principal
    if (principal === undefined) {
      throw new BeachError('UNAUTHENTICATED', 'Send `Authorization: Bearer` with the token of `POST /sessions`.')
    }
    const owner = await sessions.checkAccess(session, principal)
    const isOwner = principalKey(owner) === principalKey(principal)
    const turn = isOwner ? await sessions.preview(session, turnId, principal) : undefined
    if (turn === undefined) throw new BeachError('NOT_FOUND', 'There is no such turn, or it is not yours.')
    return turn
  }

  /** A preview that fails does not hide the others. */
  const previewOf = async ({ preview, ...channel }: PreviewingChannel, turn: TurnPreview) => {
    try {
      return { ...channel, ...(await preview(turn)) }
    } catch (error) {
      const { transport } = channel
      runtime.logger.log('error', 'what a channel would send cannot be shown', { transport, error })
      const failed: ChannelPreview = {
        label: transport,
        items: [],
        note: 'This preview failed; see the agent’s log.',
      }
      return { ...channel, ...failed }
    }
  }

  return {
    async all(request: Request, { id = '', turnId = '' }: Params): Promise<Response> {
      const turn = await turnOf(request, id, turnId)
      const previews = await Promise.all((await channels()).map((channel) => previewOf(channel, turn)))
      return jsonResponse({ turnId: turn.turnId, turnState: turn.turnState, previews })
    },
    async mail(request: Request, { id = '', turnId = '', transport, index }: Params): Promise<Response> {
      const turn = await turnOf(request, id, turnId)
      const channel = (await channels()).find((one) => one.transport === transport)
      const item = channel && (await previewOf(channel, turn)).items[Number(index)]
      if (item?.kind !== 'mail') throw new BeachError('NOT_FOUND', 'There is no such mail.')
      return mailResponse(item.html)
    },
  }
}

/** A mail as a page may show it in a frame: nothing in it runs, loads anything, or reaches the page. */
function mailResponse(html: string): Response {
  return new Response(`<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light">${html}`, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  })
}
