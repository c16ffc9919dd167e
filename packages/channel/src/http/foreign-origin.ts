/**
 * True when a page of another site makes this request: browsers say so, programs do not. At the agent's public address,
 * where it is known, only that origin is its own; behind a proxy a request does not say by which scheme it came.
 */
export function hasForeignOrigin(request: Request, publicUrl?: string): boolean {
  const origin = request.headers.get('origin')
  if (origin === null) return false
  if (!URL.canParse(origin)) return true
  const { host } = new URL(request.url)
  const own = publicUrl === undefined ? undefined : new URL(publicUrl)
  return own?.host === host ? new URL(origin).origin !== own.origin : new URL(origin).host !== host
}
