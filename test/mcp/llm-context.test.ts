import { defineActor } from '@cool-ai/beach'
import { LlmContextTranslator } from '@cool-ai/beach-protocol'
import { describe, expect, test } from 'vitest'
import { callerCard } from '../support/caller-card.ts'
import { answerOf, connect, eras, startConcierge, type Era } from './support.ts'

// Document 000, "Envelope assembly": llm-context is made for peers whose Agent Card says that they consume it, and for
// no others. What a client claims without a card counts for nothing.

const finder = defineActor(async ({ respond }) => {
  const data = { flights: [{ id: 'EJ4521' }] }
  await respond({
    parts: [
      { partType: 'response', text: 'One.' },
      { partType: 'domain-data', data },
    ],
    turnState: 'complete',
  })
})

describe.each(Object.keys(eras) as Era[])('a client of the %s era', (era) => {
  test.each([
    ['says nothing of it', () => undefined, []],
    ['claims to consume it', () => ({ 'cool-ai.beach/consumes': ['llm-context'] }), []],
    ['has a card that consumes it', (card: string) => ({ 'cool-ai.beach/card': card }), ['Analytical prose.']],
    ['names no card', () => ({ 'cool-ai.beach/card': 'nowhere' }), []],
  ])('that %s gets as much llm-context, and the translator runs for that only', async (_, metaOf, reported) => {
    let translations = 0
    const generate = async () => {
      translations++
      return 'Analytical prose.'
    }
    const translator = new LlmContextTranslator({ model: { generate } })
    const { url: card, callerCards } = await callerCard(['llm-context'])
    const { url } = await startConcierge({ actors: { finder }, turns: { translator }, access: { callerCards } })
    const _meta = metaOf(card)
    const client = await connect(url, era)
    const result = await client.callTool({
      name: 'ask_the_concierge',
      arguments: { message: 'go' },
      ...(_meta && { _meta }),
    })
    const contexts = answerOf(result).parts.filter(({ metadata }) => metadata.partType === 'llm-context')
    expect(contexts.map(({ text }) => text)).toEqual(reported)
    expect(translations).toBe(reported.length)
  })
})

// Document 003, "Envelope block".
test('llm-context is in the language of the client’s card', async () => {
  const generate = async ({ system }: { readonly system: string }) => /language: ([^.]*)/.exec(system)?.[1] ?? '?'
  const translator = new LlmContextTranslator({ model: { generate } })
  const { url: card, callerCards } = await callerCard(['llm-context'], { llmContextLanguage: 'de' })
  const { url } = await startConcierge({ actors: { finder }, turns: { translator }, access: { callerCards } })
  const client = await connect(url, 'modern')
  const _meta = { 'cool-ai.beach/card': card }
  const result = await client.callTool({ name: 'ask_the_concierge', arguments: { message: 'go' }, _meta })
  const contexts = answerOf(result).parts.filter(({ metadata }) => metadata.partType === 'llm-context')
  expect(contexts.map(({ text }) => text)).toEqual(['German (de)'])
})
