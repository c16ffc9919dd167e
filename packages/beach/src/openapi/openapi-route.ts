import { jsonResponse } from '@cool-ai/beach-channel/http'
import type { Route } from '@cool-ai/beach-core'
import type { OpenApiOptions } from './openapi-document.ts'

/** `GET /openapi.json`. The document is made with the first request, which loads what the channels say. */
export function openApiRoute(options: OpenApiOptions): Route {
  let made: Promise<unknown> | undefined
  const make = async () => (await import('./openapi-document.ts')).openApiDocument(options)
  return {
    method: 'GET',
    path: '/openapi.json',
    answer: async () => jsonResponse(await (made ??= make())),
  }
}
