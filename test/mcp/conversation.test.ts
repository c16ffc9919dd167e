import { describe, expect, test } from 'vitest'
import { answerOf, connect, eras, say, startConcierge, textsOf, type Era } from './support.ts'

describe.each(Object.keys(eras) as Era[])('a client of the %s era', (era) => {
  test('finds the conversational tool by the name in the card, and what it returns', async () => {
    const { url } = await startConcierge()
    const client = await connect(url, era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['ask_the_concierge', 'ask_the_concierge_resume'])
    expect(tools[0]).toMatchObject({
      inputSchema: { required: ['message'], properties: { message: {}, conversationId: {} } },
      outputSchema: { type: 'object', required: ['conversationId', 'role', 'parts', 'meta'] },
    })
    expect(client.getServerVersion()).toMatchObject({ name: 'concierge', version: '1.2.3' })
  })

  test('holds a whole conversation: it is asked back, gets data, is asked for an approval, and reads a file', async () => {
    const { url } = await startConcierge()
    const asked: string[] = []
    const client = await connect(url, era, {
      hostsApps: true,
      person: (message) => {
        asked.push(message)
        return message.startsWith('From')
          ? { action: 'accept', content: { answer: 'Gatwick' } }
          : { action: 'accept', content: { decision: 'granted' } }
      },
    })
    const found = await say(client, 'find me a flight')
    const { conversationId, parts, meta } = answerOf(found)
    expect(asked).toEqual(['From Gatwick or Heathrow?'])
    expect(meta.turnState).toBe('complete')
    expect(parts.map(({ metadata }) => metadata.partType)).toEqual(['response', 'domain-data', 'a2ui-surface'])
    expect(textsOf(found)).toEqual([
      { text: 'One flight.', audience: ['user', 'assistant'] },
      { text: '{"flights":[{"flight":"BA 2043","price":187}]}', audience: ['assistant'] },
      { text: 'BA 2043  [Book]', audience: ['user'] },
      { text: expect.stringContaining(conversationId) as string, audience: ['assistant'] },
    ])
    expect(found.content[2]).toMatchObject({
      type: 'resource',
      resource: { mimeType: 'application/a2ui+json' },
      annotations: { audience: ['user'] },
    })
    const booked = await say(client, 'book it', conversationId)
    expect(asked[1]).toBe('Approval needed: Book\nFlight: BA 2043\nPrice: 187')
    expect(textsOf(booked)[0]?.text).toBe('Booked: ref-1.')
    expect(answerOf(booked).conversationId).toBe(conversationId)
    const written = await say(client, 'write a plan', conversationId)
    const link = written.content.find((block) => block.type === 'resource_link')
    expect(link).toMatchObject({ name: 'plan.txt', mimeType: 'text/plain', size: 13 })
    const { contents } = await client.readResource({ uri: link?.uri ?? '' })
    expect(contents).toEqual([{ uri: link?.uri, mimeType: 'text/plain', text: 'Day 1: Corfu.' }])
    const artifact = answerOf(written).parts.find(({ metadata }) => metadata.partType === 'artifact')
    const { url: href } = (artifact?.data ?? {}) as { url?: string }
    expect(await (await fetch(new URL(href ?? '', url))).text()).toBe('Day 1: Corfu.')
  })
})
