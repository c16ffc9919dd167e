import { deepStrictEqual } from 'node:assert'
import { createBeach, defineActor } from '@cool-ai/beach'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonObject } from '@cool-ai/beach-core/openapi'
import { afterAll } from 'vitest'

// Whatever a test fetches from an agent is compared with the agent's OpenAPI document: the status, the media type, and the
// schema of a JSON answer. What does not fit fails the test file.

interface Answer {
  readonly content?: Readonly<Record<string, { readonly schema?: JsonObject }>>
}
interface Operation {
  readonly route: string
  readonly pattern: RegExp
  readonly answers: Readonly<Record<string, Answer>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Operation['answers'] }>>>>
  readonly components: { readonly responses: { readonly Error: Answer } }
}

// Test files share a process, which runs this module again for each of them.
const shared = globalThis as { plainFetch?: typeof fetch; openApi?: Promise<Document> }
const document = await (shared.openApi ??= documentOfAnAgent())
const ajv = new Ajv2020({ strict: false })
ajv.addSchema({ ...document, $id: 'document' })
const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { responses }]) => ({
    route: `${method.toUpperCase()} ${path}`,
    pattern: new RegExp(`^${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '[^/:]+')}$`),
    answers: responses,
  })),
)
const problems = new Set<string>()
const reading = new Set<Promise<void>>()

const plain = (shared.plainFetch ??= globalThis.fetch)
globalThis.fetch = async (input, init) => {
  const response = await plain(input, init)
  const url = new URL(input instanceof Request ? input.url : input)
  const method = init?.method ?? (input instanceof Request ? input.method : 'GET')
  const operation = operations.find(({ pattern }) => pattern.test(`${method} ${url.pathname}`))
  // Agents say it with every JSON answer, stand-ins of other servers do not.
  const isAgent = response.headers.get('x-content-type-options') === 'nosniff'
  if (operation !== undefined && isAgent) compare(operation, response)
  return response
}

function compare({ route, answers }: Operation, response: Response): void {
  const type = response.headers.get('content-type')?.split(';', 1)[0]?.trim() ?? ''
  const answer = answers[response.status] ?? (response.status >= 400 ? answers.default : undefined)
  const said = `${route} answered ${response.status} ${type}`
  if (answer === undefined) return void problems.add(`${said}, which the document does not have`)
  const { content } = '$ref' in answer ? document.components.responses.Error : answer
  if (content === undefined || type === '') return
  if (content[type] === undefined && content['*/*'] === undefined) {
    return void problems.add(`${said}, the document has ${Object.keys(content).join(', ')}`)
  }
  const { schema } = content[type] ?? {}
  if (schema === undefined) return
  const reads = response
    .clone()
    .json()
    .then(
      (body) => {
        const isValid = ajv.compile(placed(schema))
        if (!isValid(body)) problems.add(`${said}: ${ajv.errorsText(isValid.errors)} in ${JSON.stringify(body)}`)
      },
      // A test that aborts its request gets no body either.
      () => {},
    )
  reading.add(reads)
  void reads.then(() => reading.delete(reads))
}

const compiled = new WeakMap<JsonObject, JsonObject>()

/** The schema with references that lead into the document. */
function placed(schema: JsonObject): JsonObject {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const made = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components')) as JsonObject
  compiled.set(schema, made)
  return made
}

/** Of an agent with everything that tests call by fetch. It is loaded once for all files of a process. */
async function documentOfAnAgent(): Promise<Document> {
  const { everyChannel } = await import('./every-channel.ts')
  const beach = await createBeach({
    agent: { id: 'described', name: 'Described', description: 'Has every route.', capabilities: [] },
    data: 'memory',
    actors: { main: defineActor(async () => {}) },
    channels: everyChannel(),
    publicUrl: 'https://described.example/',
    inspect: true,
    memory: true,
    telemetry: { metrics: true },
  })
  const response = await beach.fetch(new Request('http://127.0.0.1/openapi.json'))
  await beach.close()
  return (await response.json()) as Document
}

afterAll(async () => {
  await Promise.all(reading)
  const found = [...problems]
  problems.clear()
  deepStrictEqual(found, [], `Answers are not as the OpenAPI document says:\n${found.join('\n')}`)
})
