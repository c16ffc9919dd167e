import { describe, expect, test } from 'vitest'
import { connect, eras, newToken, startConcierge, textsOf, type Era } from './support.ts'

describe.each(Object.keys(eras) as Era[])('a turn that is cancelled elsewhere', (era) => {
  test('reads as cancelled, and as no answer', async () => {
    const { url, serving } = await startConcierge()
    const token = await newToken(serving.url)
    const client = await connect(url, era, { token })
    const cancelled = Promise.withResolvers<Response>()
    const cancel = async () => {
      const { resources } = await client.listResources()
      const path = `/sessions/${resources.find(({ name }) => name.startsWith('sess_'))?.name}/cancel`
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      return fetch(new URL(path, url), { method: 'POST', headers, body: '{}' })
    }
    const result = await client.callTool(
      { name: 'ask_the_concierge', arguments: { message: 'wait' } },
      { onprogress: () => cancelled.resolve(cancel()) },
    )
    expect(await (await cancelled.promise).json()).toEqual({ cancelled: true })
    expect(result.isError).toBe(true)
    expect(textsOf(result)[0]?.text).toMatch(/^This was cancelled before the agent had finished\./)
    expect(result.structuredContent).toMatchObject({ meta: { finalizedBy: 'cancelled' } })
  })
})
