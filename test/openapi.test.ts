import { Validator } from '@seriousme/openapi-schema-validator'
import { createBeach, defineActor, type BeachOptions } from '@cool-ai/beach'
import type { AgentContext } from '@cool-ai/beach-channel'
import type { Channel } from '@cool-ai/beach-core'
import { email } from '@cool-ai/beach-email'
import { standardWebhooks, webhooks } from '@cool-ai/beach-hooks'
import { sms, whatsApp } from '@cool-ai/beach-phones'
import { sseChannel, webSocketChannel } from '@cool-ai/beach-web'
import { expect, onTestFinished, test } from 'vitest'

interface Document {
  readonly openapi: string
  readonly info: { readonly title: string }
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly security?: unknown }>>>>
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

const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const everyChannel = (): Channel[] => [
  email({ address: 'clerk@example.com', outbound: { host: '127.0.0.1', port: 25 }, smtp: { port: 0 } }),
  whatsApp({ phoneNumberId: '1', accessToken: 't', appSecrets: ['a'.repeat(32)], verifyToken: 'a long word' }),
  sms({
    accountSid: `AC${'1'.repeat(32)}`,
    authTokens: ['a'.repeat(32)],
    from: '+447700900000',
    countries: ['GB'],
  }),
  webhooks({ hooks: { desk: { verify: standardWebhooks({ secrets: [secret] }), parts: () => [] } } }),
]

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

function template(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}')
}
