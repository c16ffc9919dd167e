import { createBeach, defineActor } from '@cool-ai/beach'

interface Operation {
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly responses?: Readonly<Record<string, { readonly description?: string }>>
}

/** The routes of an agent as `/openapi.json` of a running one lists them. */
export async function httpPage(): Promise<string> {
  const beach = await createBeach({
    agent: { id: 'agent', name: 'Agent', description: 'An agent with all routes.', capabilities: [] },
    data: 'memory',
    actors: { main: defineActor(async () => {}) },
    inspect: true,
  })
  const response = await beach.fetch(new Request('http://127.0.0.1/openapi.json'))
  const { paths } = (await response.json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  await beach.close()
  const sections = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => section(method, path, operation)),
  )
  return [
    '# HTTP API',
    '',
    'Made from `GET /openapi.json` of an agent with every built-in channel and the inspector; channels that you add describe theirs in the document of your own agent. What the routes mean, with their events and errors, is in [HTTP](../http.md).',
    '',
    ...sections,
  ].join('\n')
}

function section(method: string, path: string, { summary = '', security, responses = {} }: Operation): string[] {
  const access = security?.flatMap((one) => Object.keys(one)).join(', ')
  return [
    `## ${method.toUpperCase()} ${path}`,
    '',
    ...(summary === '' ? [] : [`${summary}${summary.endsWith('.') ? '' : '.'}`, '']),
    ...(access === undefined || access === '' ? [] : [`Credentials: ${access}.`, '']),
    '| status | answer |',
    '|---|---|',
    ...Object.entries(responses).map(
      ([status, { description = '' }]) => `| ${status} | ${description.replaceAll('\n', ' ')} |`,
    ),
    '',
  ]
}
