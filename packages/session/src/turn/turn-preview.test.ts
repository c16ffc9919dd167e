import type { Actor } from '@cool-ai/beach-core'
import { LlmContextTranslator } from '@cool-ai/beach-protocol'
import { describe, expect, test } from 'vitest'
import { defineActor, type ActorContext } from './function-actor.ts'
import { contents, postbox, reader } from '../delivery/postbox.test-helper.ts'
import type { SessionTurnManagerOptions } from '../host/session-turn-manager.ts'
import { alice, bob, eventsOf, eventually, said, testContext } from '../host/test-context.test-helper.ts'

/** Says, asks, waits for a decision and says more: something of each kind of commit. */
async function all({ respond, tool }: ActorContext): Promise<void> {
  await respond({ parts: [{ partType: 'ack', text: 'Looking.' }], turnState: 'awaiting' })
  await respond({ parts: [{ partType: 'clarify', text: 'By the way?' }], turnState: 'awaiting' })
  const { outcome } = await tool({ name: 'book', args: {}, requiresApproval: true }, async () => 'ok')
  await respond({
    parts: [
      { partType: 'response', text: `Booked: ${outcome}` },
      { partType: 'domain-data', data: { flight: 'BA 2043' } },
      { partType: 'reasoning-trace', text: 'hm' },
    ],
    turnState: 'complete',
  })
}

async function session(
  actor: Actor | ((turn: ActorContext) => Promise<void>),
  options: Partial<SessionTurnManagerOptions> = {},
  joined = reader('anna'),
) {
  const there = testContext()
  const box = postbox()
  const { sessions } = there.process({ agent: actor }, { channels: [box.channel], ...options })
  const id = await sessions.open({ principal: alice })
  await sessions.join(id, joined, alice)
  await sessions.post(id, said('book'), alice)
  const view = () => sessions.view(id, alice)
  const turnId = async () => {
    const started = (await eventsOf(there, id)).find(({ type }) => type === 'turnStarted')
    return started?.type === 'turnStarted' ? started.turnId : ''
  }
  const preview = async () => {
    const made = await sessions.preview(id, await turnId(), alice)
    if (made === undefined) throw new Error('There is no such turn.')
    return made
  }
  return { there, box, sessions, id, view, turnId, preview }
}

const peer = reader('peer', { transport: 'a2a', consumes: ['llm-context'] })

describe('what would be pushed', () => {
  test('is what is pushed, each time and in the end', async () => {
    const { box, sessions, view, preview } = await session(all)
    await eventually(async () => (await view()).turn?.pendingApprovals.length === 1)
    await eventually(async () => (await view()).inFlight.every(({ kind }) => kind !== 'delivery'))
    const asked = await preview()
    expect(asked).toMatchObject({ turnState: 'suspended', isSettled: false, owner: alice })
    expect(asked.pendingApprovals).toHaveLength(1)
    expect(asked.envelope(reader('anna'))).toBeUndefined()
    expect(asked.pushes(reader('anna'))).toEqual(box.got('anna'))
    expect(box.got('anna').map(contents)).toMatchObject([[['clarify', 'By the way?']], [['approval-request', {}]]])

    await sessions.decide(asked.pendingApprovals[0] ?? '', { decision: 'granted' }, alice)
    await eventually(async () => (await view()).inFlight.length === 0 && box.got('anna').length === 3)
    const settled = await preview()
    expect(settled).toMatchObject({ turnState: 'complete', isSettled: true, pendingApprovals: [] })
    expect(settled.pushes(reader('anna'))).toEqual(box.got('anna'))
  })

  test('is the same for results of manifests, which come by themselves', async () => {
    const anna = reader('anna', { deliveryClass: 'streaming' })
    const actor = defineActor(
      async ({ respond, manifest }) => {
        const slots = { a: { work: 'find', args: 'a' }, b: { work: 'find', args: 'b' } }
        await (await manifest({ name: 'both', slots })).settled()
        await respond({ parts: [{ partType: 'ack', text: 'Both.' }], turnState: 'awaiting' })
        await respond({ parts: [{ partType: 'response', text: 'Done.' }], turnState: 'complete' })
      },
      { works: { find: { run: async (args) => ({ found: args }) } } },
    )
    const { box, view, preview } = await session(actor, {}, anna)
    await eventually(async () => (await view()).turn === undefined && (await view()).inFlight.length === 0)
    expect(box.got('anna').length).toBeGreaterThan(2)
    expect((await preview()).pushes(anna)).toEqual(box.got('anna'))
  })

  test('is nothing while nothing is due', async () => {
    const { view, preview } = await session(async ({ respond, signal }) => {
      await respond({ parts: [{ partType: 'ack', text: 'Looking.' }], turnState: 'awaiting' })
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('over'))))
    })
    await eventually(async () => (await view()).turn?.step === 1)
    expect((await preview()).pushes(reader('anna'))).toEqual([])
  })
})

describe('a peer that was not there', () => {
  const translator = () => new LlmContextTranslator({ model: { generate: async () => 'In short: booked.' } })
  const answer = ({ respond }: ActorContext) =>
    respond({ parts: [{ partType: 'response', text: 'Booked.' }], turnState: 'complete' })

  test('gets the llm-context that it would have had; the log does not', async () => {
    const { there, id, view, preview } = await session(answer, { translator: translator() })
    await eventually(async () => (await view()).inFlight.length === 0 && (await view()).turn === undefined)
    const before = await eventsOf(there, id)
    const made = await preview()
    expect(made.envelope(peer)?.parts.map(({ metadata }) => metadata.partType)).toEqual(['response', 'llm-context'])
    expect(made.envelope(peer)?.parts.at(-1)?.text).toBe('In short: booked.')
    expect(made.envelope(reader('anna'))?.parts.map(({ metadata }) => metadata.partType)).toEqual(['response'])
    const frames = made.frames(peer).flatMap((frame) => (frame.kind === 'part' ? [frame.part.metadata.partType] : []))
    expect(frames).toEqual(['message', 'response', 'llm-context'])
    expect(await eventsOf(there, id)).toEqual(before)
  })

  test('gets what the actor has written itself', async () => {
    const parts = [
      { partType: 'response', text: 'Booked.' },
      { partType: 'llm-context', text: 'Its own words.' },
    ]
    const { view, preview } = await session(({ respond }) => respond({ parts, turnState: 'complete' }), {
      translator: translator(),
    })
    await eventually(async () => (await view()).turn === undefined && (await view()).waiting === 0)
    expect((await preview()).envelope(peer)?.parts.map(({ text }) => text)).toEqual(['Booked.', 'Its own words.'])
  })
})

test('a preview is of a turn of one’s own', async () => {
  const { sessions, id, turnId, view } = await session(all)
  await eventually(async () => (await view()).turn !== undefined)
  expect(await sessions.preview(id, 'turn_nosuch', alice)).toBeUndefined()
  await expect(sessions.preview(id, await turnId(), bob)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})
