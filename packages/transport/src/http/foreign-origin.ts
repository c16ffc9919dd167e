/** True when a page of another site makes this request: browsers say so, programs do not. */
export function hasForeignOrigin(request: Request): boolean {
  const origin = request.headers.get('origin')
  if (origin === null) return false
  return !URL.canParse(origin) || new URL(origin).host !== new URL(request.url).host
}
