import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { createBeach, defineActor, type BeachOptions } from '@cool-ai/beach'
import type { AgentContext } from '@cool-ai/beach-channel'
import { sseChannel, webSocketChannel } from '@cool-ai/beach-web'
import { expect, onTestFinished, test } from 'vitest'
import { everyChannel } from './support/every-channel.ts'

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: unknown }>> }>
  >
}

interface Document {
  readonly openapi: string
  readonly info: { readonly title: string }
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly securitySchemes: { readonly cookie: { readonly name: string } } }
}

async function documentOf(options: Partial<BeachOptions>): Promise<Document> {
  const beach = await createBeach({
    agent: { id: 'clerk', name: 'Clerk' },
    data: 'memory',
    actors: { main: defineActor(async () => {}) },
    ...options,
  })
  onTestFinished(() => beach.close())
  const response = await beach.fetch(new Request('http://127.0.0.1/openapi.json'))
  expect(response.status).toBe(200)
  return (await response.json()) as Document
}

test('an agent serves an OpenAPI 3.1 document that a stock validator accepts', async () => {
  const document = await documentOf({
    agent: { id: 'clerk', name: 'Clerk', description: 'Pays invoices.', capabilities: [] },
    publicUrl: 'https://clerk.example/',
  })
  const { valid, errors } = await new Validator().validate(structuredClone(document) as never)
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
  expect(document.openapi).toMatch(/^3\.1\./)
  expect(document.info.title).toBe('Clerk')
  expect(document.servers).toEqual([{ url: 'https://clerk.example' }])
  expect(document.components.securitySchemes.cookie.name).toBe('beach_clerk')
})

test('the document has the routes that the agent has, and no others', async () => {
  const { paths } = await documentOf({ protocols: { mcp: false, agui: false, webSocket: false } })
  expect(Object.keys(paths)).toContain('/sessions/{id}/messages')
  expect(Object.keys(paths).filter((path) => /mcp|agui|a2a|\/ws|webhooks|by-mail/.test(path))).toEqual([])
})

test('every channel describes all of its routes', async () => {
  const channels = [...everyChannel()]
  let context: unknown
  const own = [sseChannel(), webSocketChannel()]
  const document = await documentOf({
    channels,
    publicUrl: 'https://clerk.example/',
    onStart: async (given) => void (context = given),
  })
  for (const channel of own) await channel.start(context as AgentContext)
  const described = new Set(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    ),
  )
  for (const { transport, routes = [], paths = [] } of [...own, ...channels]) {
    for (const { method, path } of routes) expect(described, transport).toContain(`${method} ${template(path)}`)
    for (const path of paths) {
      expect(
        [...described].some((route) => route.endsWith(` ${template(path)}`)),
        `${transport}: ${path}`,
      ).toBe(true)
    }
  }
})

test('every JSON answer of the operator API has a schema', async () => {
  const { paths } = await documentOf({ inspect: true })
  const routes = Object.entries(paths).filter(([path]) => path.startsWith('/inspect/api/'))
  expect(routes.length).toBeGreaterThan(20)
  for (const [path, methods] of routes) {
    for (const [method, { responses }] of Object.entries(methods)) {
      const answered = Object.entries(responses).filter(([status]) => status !== '204' && status !== 'default')
      for (const [status, { content = {} }] of answered) {
        const [first] = Object.entries(content)
        const isTold = first !== undefined && (first[0] !== 'application/json' || first[1].schema !== undefined)
        expect(isTold, `${method} ${path} ${status}`).toBe(true)
      }
    }
  }
})

test('docs/http.md has every route of the document', async () => {
  const { paths } = await documentOf({
    agent: { id: 'clerk', name: 'Clerk', description: 'Pays invoices.', capabilities: [] },
    channels: everyChannel(),
    inspect: true,
    memory: true,
    publicUrl: 'https://clerk.example/',
    telemetry: { metrics: true },
  })
  const page = withoutNames(readFileSync(new URL('../docs/http.md', import.meta.url), 'utf8'))
  const routes = Object.keys(paths).filter((path) => !path.startsWith('/a2a/rest/'))
  // The table of the operator API has its paths below what they share.
  const missing = routes.filter((path) => !page.includes(withoutNames(template(path).replace('/inspect/api/', ''))))
  expect(missing).toEqual([])
})

/** Ids have shorter names in the document than in the page. */
function withoutNames(text: string): string {
  return text.replaceAll(/\{\w+\}|:\w+/g, ':')
}

function template(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}')
}
