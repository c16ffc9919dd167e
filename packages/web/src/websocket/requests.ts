import { parseJson, type BodyLimits } from '@cool-ai/beach-channel/http'
import { BeachError } from '@cool-ai/beach-core'
import { z } from 'zod'

const id = z.string().min(1).max(100)

const hello = z.strictObject({
  type: z.literal('hello'),
  token: z.string().min(1).max(10_000),
  after: z.string().max(100).optional(),
})

/** The first message of a caller without another credential. */
export type Hello = z.infer<typeof hello>

// What passes the same checks as by HTTP is not checked here.
const request = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('send'),
    id,
    key: z.string().optional(),
    text: z.unknown().optional(),
    parts: z.unknown().optional(),
  }),
  z.strictObject({
    type: z.literal('decide'),
    id,
    approvalId: z.string().min(1).max(200),
    decision: z.unknown(),
    reason: z.unknown().optional(),
    args: z.unknown().optional(),
    allow: z.unknown().optional(),
  }),
  z.strictObject({ type: z.literal('cancel'), id, turnId: z.unknown().optional() }),
  z.strictObject({ type: z.literal('ping'), id: id.optional() }),
])

/** The requests that a caller can repeat. */
export type SocketRequest = z.infer<typeof request>

export function parseHello(text: string, limits: BodyLimits): Hello {
  const parsed = hello.safeParse(parseJson(text, limits.depth))
  if (parsed.success) return parsed.data
  throw new BeachError(
    'UNAUTHENTICATED',
    'Authenticate first: send { "type": "hello", "token": … } with the token of `POST /sessions`.',
  )
}

/** A request, or what is wrong with it; with its id, where it has one, so that the caller knows what was refused. */
export function parseRequest(
  text: string,
  limits: BodyLimits,
): { readonly request: SocketRequest } | { readonly id?: string | undefined; readonly error: unknown } {
  let value: unknown
  try {
    value = parseJson(text, limits.depth)
  } catch (error) {
    return { error }
  }
  const parsed = request.safeParse(value)
  if (parsed.success) return { request: parsed.data }
  const named = z.looseObject({ id }).safeParse(value)
  const problems = parsed.error.issues.map((issue) => `${['message', ...issue.path].join('.')}: ${issue.message}`)
  const error = new BeachError(
    'BAD_REQUEST',
    `This is not a request. A request has a \`type\`, "send", "decide", "cancel" or "ping", and an \`id\`. ${problems.join('; ')}.`,
  )
  return { error, id: named.data?.id }
}
