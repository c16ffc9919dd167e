import { isPart, type Part, type TurnState } from '@cool-ai/beach-core'
import type { ReaderPart, StreamPart, StreamTurn } from '@cool-ai/beach-protocol'
import { defineActor, type ActorContext } from '@cool-ai/beach-session'
import { expect, expectTypeOf, test } from 'vitest'

// Most of this is checked by `npm run check`: what stands below a `@ts-expect-error` must not compile. The types of an
// application that declares its own are in test/types.

const unread: Part = { data: { label: 'Half' }, metadata: { partType: 'progress' } }

export const actor = defineActor(async ({ respond, tool }) => {
  await respond({ parts: [{ partType: 'ack', text: 'One moment.' }], turnState: 'awaiting' })
  // @ts-expect-error -- a misspelt part type.
  await respond({ parts: [{ partType: 'respnse', text: 'Hello.' }], turnState: 'complete' })
  // @ts-expect-error -- a misspelt one among others.
  await respond({ parts: [{ partType: 'ack', text: 'a' }, { partType: 'respnse', text: 'b' }], turnState: 'complete' }) // oxfmt-ignore
  // @ts-expect-error -- a misspelt turn state.
  await respond({ parts: [{ partType: 'response', text: 'Hello.' }], turnState: 'compleet' })
  // @ts-expect-error -- by its other name too.
  await respond({ parts: [{ partType: 'response', text: 'Hello.' }], conversationState: 'compleet' })
  // @ts-expect-error -- a response has a text.
  await respond({ parts: [{ partType: 'response' }], turnState: 'complete' })
  // @ts-expect-error -- a citation has a path.
  await respond({ parts: [{ partType: 'citation', data: { title: 'A book' } }], turnState: 'complete' })
  // A name with a namespace is the application's own.
  await respond({ parts: [{ partType: 'ta.map', data: { places: [] } }], turnState: 'ta.quoted' })
  // A name that is known only at run time is checked by the registry, when it is said.
  const name: string = unread.metadata.partType
  await respond({ parts: [{ partType: name, text: 'Hello.' }, unread], turnState: name })
  const outcome = await tool({ name: 'count', args: {} }, async ({ emit }) => {
    await emit([{ partType: 'progress', data: { label: 'Counting' } }])
    // @ts-expect-error -- progress has a label.
    await emit([{ partType: 'progress', data: { lable: 'Counting' } }])
    return 3
  })
  if (outcome.outcome === 'ok') expectTypeOf(outcome.value).toEqualTypeOf<number>()
})

export function onPart(part: StreamPart, turn: StreamTurn): void {
  if (part.partType === 'approval-request') expectTypeOf(part.data.toolName).toEqualTypeOf<string>()
  if (part.partType === 'progress') expectTypeOf(part.data.done).toEqualTypeOf<number | undefined>()
  if (part.partType === 'ta.map') expectTypeOf(part.data).toEqualTypeOf<unknown>()
  switch (part.partType) {
    case 'setState':
      expectTypeOf(part.data).toEqualTypeOf<Record<string, string>>()
      break
    case 'response':
      expectTypeOf(part.data).toEqualTypeOf<undefined>()
      break
    default:
  }
  // @ts-expect-error -- no part has this type.
  if (part.partType === 'respnse') expect.fail()
  // @ts-expect-error -- no turn has this state.
  if (turn.turnState === 'compleet') expect.fail()
}

test('a part in wire form has the data of its type after a check', () => {
  expect(isPart(unread, 'progress') && unread.data.label).toBe('Half')
  expect(isPart(unread, 'citation')).toBe(false)
})

test('the names of parts and states are the same for readers and authors', () => {
  expectTypeOf<Extract<ReaderPart['partType'], 'respnse'>>().toBeNever()
  expectTypeOf<Extract<TurnState, 'complete'>>().toEqualTypeOf<'complete'>()
  expectTypeOf<ActorContext['respond']>().toBeFunction()
})
