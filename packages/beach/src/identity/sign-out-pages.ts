import { plainPage } from '@cool-ai/beach-channel/pages'
import { escapeHtml } from '@cool-ai/beach-core/runtime'

/** True for what a page's form sends. */
export function isForm(request: Request): boolean {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  return type === 'application/x-www-form-urlencoded'
}

/** Asks first: a link alone, of whatever site, must not sign a person out. */
export function signOutPage(from: string): Response {
  const form =
    '<form method="post" action="logout"><div class="choices"><button class="primary">Sign out</button></div></form>'
  return plainPage({ from, home: './', title: 'Sign out?', body: form, isAsking: true })
}

/**
 * Says that it is done, and leads on to the provider, where the session may go on. Not by a redirect: browsers follow none of
 * a form to another site than the policy of its page names.
 */
export function signedOutPage(from: string, provider: URL | undefined): Response {
  const again = '<p><a href="./">Back to the agent</a></p>'
  const there =
    provider && `<p><a href="${escapeHtml(provider.href)}">Sign out at ${escapeHtml(provider.host)} too</a></p>`
  const response = plainPage({ from, title: 'You are signed out', body: (there ?? '') + again })
  if (provider !== undefined) response.headers.set('refresh', `0; url=${provider.href}`)
  return response
}
