import { defined } from '../json.ts'
import type { JsonObject, OpenApiPart, OpenApiSchema } from './openapi.ts'

/** What a route answers with one status. */
export interface AnswerDescription {
  readonly description: string
  /** The schema of a JSON answer. */
  readonly json?: OpenApiSchema | undefined
  /** The media types of an answer that is not JSON, or not always. */
  readonly type?: string | readonly string[] | undefined
}

/** Who may call a route: every caller, callers with a credential, operators, or holders of a signed link or payload. */
export type RouteAccess = 'open' | 'caller' | 'operator' | 'signed'

/** One route in words and schemas. */
export interface RouteDescription {
  readonly summary: string
  readonly description?: string | undefined
  readonly access: RouteAccess
  /** The scope that operators need. */
  readonly scope?: string | undefined
  readonly query?: Readonly<Record<string, string>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The schema of the JSON body, or of another media type's. */
  readonly body?: OpenApiSchema | undefined
  readonly bodyType?: string | undefined
  readonly answers: Readonly<Record<number, AnswerDescription>>
  /** What errors look like where they are not `{ error: { code, message } }`. */
  readonly errors?: AnswerDescription | undefined
}

const security: Readonly<Record<RouteAccess, readonly JsonObject[] | undefined>> = {
  open: [],
  signed: [],
  caller: [{ bearer: [] }, { cookie: [] }],
  operator: [{ operator: [] }],
}

/** The part of an OpenAPI document for routes such as `POST /sessions/:id/messages`, under one tag. */
export function describeRoutes(
  tag: string,
  routes: Readonly<Record<string, RouteDescription>>,
  schemas?: Readonly<Record<string, OpenApiSchema>>,
): OpenApiPart {
  const paths: Record<string, Record<string, JsonObject>> = {}
  for (const [route, described] of Object.entries(routes)) {
    const [method = '', path = ''] = route.split(' ')
    const template = path.replaceAll(/:(\w+)/g, '{$1}')
    paths[template] = { ...paths[template], [method.toLowerCase()]: operationOf(tag, path, described) }
  }
  return { paths, schemas }
}

/** A schema that the document has under `components`. */
export function schemaRef(name: string): OpenApiSchema {
  return { $ref: `#/components/schemas/${name}` }
}

function operationOf(tag: string, path: string, route: RouteDescription): JsonObject {
  const { summary, description, access, scope, body, bodyType = 'application/json', answers, errors } = route
  const parameters = [
    ...Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => parameter('path', name)),
    ...Object.entries(route.query ?? {}).map(([name, about]) => parameter('query', name, about)),
    ...Object.entries(route.headers ?? {}).map(([name, about]) => parameter('header', name, about)),
  ]
  return defined({
    tags: [tag],
    summary,
    description,
    security: access === 'operator' && scope !== undefined ? [{ operator: [scope] }] : security[access],
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: body && { content: { [bodyType]: { schema: body } } },
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, answerOf(answer)])),
      default: errors ? answerOf(errors) : { $ref: '#/components/responses/Error' },
    },
  })
}

function parameter(place: 'path' | 'query' | 'header', name: string, description?: string): JsonObject {
  const required = place === 'path' ? true : undefined
  return defined({ name, in: place, required, description, schema: { type: 'string' } })
}

function answerOf({ description, json, type }: AnswerDescription): JsonObject {
  if (json === undefined && type === undefined) return { description }
  const types = [type ?? []].flat()
  const others = Object.fromEntries(types.map((name) => [name, {}]))
  const content = { ...(json && { 'application/json': { schema: json } }), ...others }
  return { description, content }
}
