import { decodeProtectedHeader } from 'jose'

const maxLength = 16_384

/** The request's bearer token when it is a JWT; other tokens are for others to read. */
export function bearerJwt(request: Request): string | undefined {
  const token = /^Bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*)$/i.exec(
    request.headers.get('authorization') ?? '',
  )?.[1]
  return token !== undefined && token.length <= maxLength && hasAlgorithm(token) ? token : undefined
}

function hasAlgorithm(token: string): boolean {
  try {
    return decodeProtectedHeader(token).alg !== undefined
  } catch {
    return false
  }
}
