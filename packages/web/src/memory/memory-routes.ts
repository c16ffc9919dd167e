import { jsonResponse } from '@cool-ai/beach-channel/http'
import { BeachError, type Authenticator, type Principal } from '@cool-ai/beach-core'
import { askAuthenticator } from '@cool-ai/beach-core/ports'

/** What callers can do with what is remembered of them. */
export interface MemoryRoutesOptions {
  readonly memory: {
    of(by: Principal): Promise<{ readonly entries: readonly unknown[] }>
    forget(by: Principal, ids: readonly string[]): Promise<number>
    refuse(by: Principal, how: { readonly via?: string | undefined }): Promise<void>
  }
  readonly authenticate: Authenticator
}

/** For each caller: what is remembered of them, and its erasure. */
export function memoryAnswers({ memory, authenticate }: MemoryRoutesOptions) {
  const caller = async (request: Request): Promise<Principal> => {
    const principal = (await askAuthenticator(authenticate, request))?.principal
    if (principal !== undefined) return principal
    throw new BeachError('UNAUTHENTICATED', 'Send `Authorization: Bearer` with the token of `POST /sessions`.')
  }
  return {
    async list(request: Request): Promise<Response> {
      return jsonResponse(await memory.of(await caller(request)))
    },
    async forget(request: Request, { id = '' }: Readonly<Record<string, string>>): Promise<Response> {
      const count = await memory.forget(await caller(request), [id])
      if (count === 0) throw new BeachError('NOT_FOUND', 'Nothing is remembered of you under this id.')
      return new Response(null, { status: 204 })
    },
    async refuse(request: Request): Promise<Response> {
      await memory.refuse(await caller(request), { via: 'http' })
      return new Response(null, { status: 204 })
    },
  }
}
