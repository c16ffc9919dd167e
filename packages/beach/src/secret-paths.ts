import { hasForeignOrigin, remoteNetwork, type GuessLimit } from '@cool-ai/beach-channel/http'
import { BeachError } from '@cool-ai/beach-core'

/**
 * Answers a path that contains a secret. The holder of the link may use it, so neither cookies nor host names protect
 * it: changes are accepted from its own page only, and wrong secrets are counted.
 */
export async function answerSecretPath(
  request: Request,
  answer: () => Promise<Response>,
  { guesses, publicUrl }: { readonly guesses: GuessLimit; readonly publicUrl?: string | undefined },
): Promise<Response> {
  const isSafe = request.method === 'GET' || request.method === 'HEAD'
  if (!isSafe && isFromElsewhere(request, publicUrl)) {
    throw new BeachError(
      'FORBIDDEN',
      'Another site may not do this here. Open the link, and use the page that it shows.',
    )
  }
  const guess = await guesses.begin(remoteNetwork(request))
  const response = await answer()
  if (response.status !== 404) await guess.wasRight()
  return response
}

/** True when a browser says that another page than the agent's own makes this request. */
function isFromElsewhere(request: Request, publicUrl: string | undefined): boolean {
  const site = request.headers.get('sec-fetch-site') ?? 'none'
  if (site !== 'same-origin' && site !== 'none') return true
  const isPublic = publicUrl !== undefined && request.headers.get('origin') === new URL(publicUrl).origin
  return !isPublic && hasForeignOrigin(request, publicUrl)
}
