import { askedApproval } from '@cool-ai/beach-protocol'
import { defineTool, llmActor, scriptedModel, type ScriptRule } from '@cool-ai/beach-llm'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { respond } from '../a2a-client/home-agent.ts'
import { Conversation } from '../support/conversation.ts'
import { startBaxter, startSally } from './two-agents.ts'

// docs/approvals.md: requests of peers are requests of the agent that asks them.

/** Sally, whose booking needs an approval; `booked` has what was booked. */
async function bookingSally() {
  const booked: unknown[] = []
  const book = defineTool({
    name: 'book_flight',
    title: 'Book a flight',
    description: 'Books a flight.',
    inputSchema: z.object({
      flight: z.string().meta({ title: 'Flight' }),
      passengers: z.int().min(1).max(9).meta({ title: 'Travellers' }),
    }),
    requiresApproval: true,
    idempotent: true,
    approval: ({ flight, passengers }) => ({
      title: `Book ${flight} for ${passengers}`,
      summary: 'It can be cancelled within a day.',
      details: { Departs: 'Sat 15 Aug, 06:15' },
      risk: 'medium',
      editable: ['passengers'],
      allowForSession: true,
      amount: { value: 94 * passengers, currency: 'GBP' },
    }),
    handler: (args) => (booked.push(args), { booked: args.flight }),
  })
  const rules: ScriptRule[] = [
    {
      when: ({ results }) => results.has('book_flight'),
      say: ({ results }) => respond(`${results.get('book_flight')}`),
    },
    { say: () => ({ tools: [{ name: 'book_flight', args: { flight: 'EJ4521', passengers: 2 } }] }) },
  ]
  const sally = llmActor({ name: 'sally', prompt: 'You are Sally.', model: scriptedModel({ rules }), tools: [book] })
  return { sally: await startSally({ options: { actors: { sally } } }), booked }
}

/** Baxter's user, who is asked for Sally's booking. */
async function asked() {
  const { sally, booked } = await bookingSally()
  const { url } = await startBaxter(sally)
  const talk = await Conversation.open(url)
  await talk.say('Book it.')
  await talk.suspended()
  return { talk, booked }
}

function requestIn(talk: Conversation) {
  const part = talk.partOf('approval-request')
  const request = part && askedApproval(part)
  if (request === undefined) throw new Error('Nothing was asked.')
  return request
}

describe('an approval that a peer asks for', () => {
  test('is described in the peer’s words, under the peer’s name, with every argument', async () => {
    const { talk, booked } = await asked()
    expect(requestIn(talk)).toMatchObject({
      title: 'Sally: Book EJ4521 for 2',
      summary: 'It can be cancelled within a day.',
      details: [{ label: 'Departs', value: 'Sat 15 Aug, 06:15' }],
      arguments: [
        { label: 'Flight', value: 'EJ4521' },
        { label: 'Travellers', value: '2' },
      ],
      risk: 'medium',
      editable: [{ name: 'passengers', label: 'Travellers', schema: { minimum: 1, maximum: 9 }, given: 2 }],
      allowForSession: false,
    })
    expect(await talk.decide('granted')).toBe(200)
    await talk.settled(1)
    expect(booked).toEqual([{ flight: 'EJ4521', passengers: 2 }])
  })

  test('can be granted with changed arguments, which the peer runs', async () => {
    const { talk, booked } = await asked()
    const wrong = await talk.decideWith({ decision: 'granted', args: { passengers: 20 } })
    expect(wrong.status, wrong.text).toBe(400)
    const other = await talk.decideWith({ decision: 'granted', args: { flight: 'BA 2043' } })
    expect(other.text).toContain("The argument 'flight' of this call cannot be changed.")
    expect(booked).toEqual([])
    expect(await talk.decideWith({ decision: 'granted', args: { passengers: 3 } })).toMatchObject({ status: 200 })
    await talk.settled(1)
    expect(booked).toEqual([{ flight: 'EJ4521', passengers: 3 }])
    const reported = talk.stream.parts.map(({ data }) => (data as { label?: string } | undefined)?.label)
    expect(reported).toContain('Sally is told that this was granted, with changes')
  })

  test('cannot be allowed for the session: what is allowed at a peer could not be revoked here', async () => {
    const { talk, booked } = await asked()
    const { status, text } = await talk.decideWith({ decision: 'granted', allow: { upTo: 500 } })
    expect([status, text]).toEqual([400, expect.stringContaining('This tool cannot be allowed for the session.')])
    expect(booked).toEqual([])
    expect(await talk.decide('denied')).toBe(200)
    await talk.settled(1)
    expect(booked).toEqual([])
  })
})
