// What an application that declares all of its part types and turn states gets from the compiler. `npm run check`
// compiles this file: each line below a `@ts-expect-error` must be refused, every other one accepted.
import { createBeach, defineActor } from '@cool-ai/beach'
import { connect } from '@cool-ai/beach-client'
import { isPart, type Part, type WorkRun } from '@cool-ai/beach-core'

declare module '@cool-ai/beach-core' {
  interface PartTypes {
    'ta.map': { places: string[] }
    audio: { seconds: number }
  }
  interface TurnStates {
    'ta.quoted': true
  }
  interface DeclaredTypes {
    all: true
  }
}

export const actor = defineActor(async ({ respond }) => {
  await respond({ parts: [{ partType: 'ta.map', data: { places: ['Corfu'] } }], turnState: 'ta.quoted' })
  await respond({ parts: [{ partType: 'audio', data: { seconds: 3 } }], turnState: 'complete' })
  // @ts-expect-error -- a namespace does not make up for a name that was not declared.
  await respond({ parts: [{ partType: 'ta.mpa', data: { places: [] } }], turnState: 'complete' })
  // @ts-expect-error -- the data is not that of a map.
  await respond({ parts: [{ partType: 'ta.map', data: { place: 'Corfu' } }], turnState: 'complete' })
  // @ts-expect-error -- no such turn state.
  await respond({ parts: [], turnState: 'ta.qouted' })
})

export const work = async ({ emit }: WorkRun) => {
  await emit([{ partType: 'progress', data: { label: 'Half', done: 1, total: 2 } }])
  // @ts-expect-error -- `total` is a number.
  await emit([{ partType: 'progress', data: { label: 'Half', total: 'two' } }])
}

const conversation = connect({ url: '/', sessionId: 's', token: 't' })
conversation.stream.on('part', (part) => {
  if (part.partType === 'ta.map') part.data.places.join()
  if (part.partType === 'audio') part.data.seconds.toFixed()
  // @ts-expect-error -- a name that no part has.
  if (part.partType === 'ta.mpa') conversation.close()
})

export function placesIn(part: Part): readonly string[] {
  return isPart(part, 'ta.map') ? part.data.places : []
}

export const beach = createBeach({
  agent: { id: 'ta', name: 'TA' },
  actors: { actor },
  data: { store: undefined, secret: new Uint8Array(32) },
  partTypes: [{ partType: 'ta.map', deliveryRules: { streaming: 'flush', buffered: 'drop' } }],
  turnStates: [{ id: 'ta.quoted', isTerminal: true, emitsEnvelope: true, holdsActor: false }],
  stateMachines: [{ components: {} }],
})
