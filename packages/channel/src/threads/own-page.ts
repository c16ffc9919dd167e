/** True for a request that a browser makes for a page of the agent's own origin: it keeps the cookies that it is given. */
export function isOwnPage(request: Request): boolean {
  const origin = request.headers.get('origin')
  return origin !== null && URL.canParse(origin) && new URL(origin).host === new URL(request.url).host
}
