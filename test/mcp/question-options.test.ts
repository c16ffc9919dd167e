import { defineActor } from '@cool-ai/beach'
import { StreamableHTTPClientTransport, type ElicitResult } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import { answerOf, eras, say, startConcierge, stockClient, type Era } from './support.ts'

const asker = defineActor(async ({ text, respond }) => {
  if (text !== 'go')
    return respond({ parts: [{ partType: 'response', text: `You chose ${text}.` }], turnState: 'complete' })
  const metadata = { options: ['Gatwick', 'Heathrow'] }
  return respond({ parts: [{ partType: 'clarify', text: 'From where?', metadata }], turnState: 'clarifying' })
})

describe.each(Object.keys(eras) as Era[])('a question with options, for a client of the %s era', (era) => {
  test.each([
    ['one of them', { answer: 'Heathrow' }, 'You chose Heathrow.'],
    ['something else', { answer: 'Heathrow', other: 'Luton' }, 'You chose Luton.'],
  ])('is a form to choose from, and the user answers %s', async (_, content, reply) => {
    const { url } = await startConcierge({ actors: { asker } })
    const client = stockClient(era, () => ({ action: 'cancel' }))
    const forms: unknown[] = []
    client.setRequestHandler('elicitation/create', async ({ params }): Promise<ElicitResult> => {
      forms.push(params)
      return { action: 'accept', content }
    })
    await client.connect(new StreamableHTTPClientTransport(url))
    const result = await say(client, 'go')
    expect(forms).toMatchObject([
      {
        message: 'From where?',
        requestedSchema: { properties: { answer: { enum: ['Gatwick', 'Heathrow'] }, other: {} } },
      },
    ])
    expect(answerOf(result).parts.map(({ text }) => text)).toEqual([reply])
  })
})
