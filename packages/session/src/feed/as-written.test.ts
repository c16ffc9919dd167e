import { expect, test } from 'vitest'
import { alice, follow, said, viewer, testContext } from '../host/test-context.test-helper.ts'

test('what was said stays as it was written, whatever becomes of the objects that it was said with', async () => {
  const there = testContext()
  const flights = [{ to: 'Corfu' }]
  const { sessions, crash } = there.process({
    async actor({ respond, tool }) {
      const found = await tool({ name: 'find', args: {} }, async () => flights)
      await respond({ parts: [{ partType: 'domain-data', data: { flights } }], turnState: 'awaiting' })
      flights.push({ to: 'Crete' })
      const many = found.outcome === 'ok' ? found.value.length : 0
      await respond({ parts: [{ partType: 'response', text: `${many}` }], turnState: 'complete' })
    },
  })
  const session = await sessions.open({ principal: alice })
  const part = { data: { places: ['Corfu'] }, metadata: { partType: 'message' } }
  const message = { ...said('go'), parts: [{ text: 'go', metadata: { partType: 'message' } }, part] }
  const seen = follow(sessions, session)
  await sessions.post(session, message, alice)
  part.data.places.push('Crete')
  await seen.settled()
  const turnId = seen.frames.find((frame) => frame.kind === 'settled')?.turnId ?? ''
  const here = await sessions.envelope(session, turnId, viewer())
  crash()
  const { sessions: next } = there.process({ actor: async () => {} })
  expect(here).toEqual(await next.envelope(session, turnId, viewer()))
  expect(JSON.stringify(here?.parts)).not.toContain('Crete')
})

test('an actor that changes the message it was given changes it for itself only', async () => {
  const there = testContext()
  const { sessions } = there.process({
    async actor({ messages, respond }) {
      const [place] = (messages[0]?.parts ?? []).map((part) => part.data as { places: string[] })
      place?.places.push('Crete')
      await respond({ parts: [{ partType: 'response', text: place?.places.join() ?? '' }], turnState: 'complete' })
    },
  })
  const session = await sessions.open({ principal: alice })
  const seen = follow(sessions, session)
  // Once it follows it is given what is appended, and reads nothing.
  for (let round = 0; round < 5; round++) await new Promise((resolve) => setImmediate(resolve))
  const parts = [{ data: { places: ['Corfu'] }, metadata: { partType: 'message' } }]
  await sessions.post(session, { ...said('go'), parts }, alice)
  await seen.settled()
  const shown = seen.frames.flatMap((frame) => (frame.kind === 'part' ? [frame.part.data ?? frame.part.text] : []))
  expect(shown).toEqual([{ places: ['Corfu'] }, 'Corfu,Crete'])
})
