import { defineActor } from '@cool-ai/beach'
import { harbourCatalog } from './harbour-catalog.ts'

const { catalogId } = harbourCatalog
const [version, surfaceId] = ['v0.9', 'berths']
const berths = [
  { name: 'B7', price: 40 },
  { name: 'B9', price: 35 },
]

/** The berths that are free, to choose one of. */
const free = [
  { version, createSurface: { surfaceId, catalogId } },
  {
    version,
    updateComponents: {
      surfaceId,
      components: [
        { id: 'root', component: 'Column', children: ['map', 'sum'] },
        {
          id: 'map',
          component: 'BerthMap',
          title: 'Free berths',
          berths,
          chosen: { path: '/chosen' },
          action: { event: { name: 'book', context: { berth: { path: '/chosen' } } } },
        },
        { id: 'sum', component: 'Text', text: { call: 'euros', args: { value: { path: '/price' } } } },
      ],
    },
  },
]

/** The same surface once a berth is taken. */
function taken(name: string) {
  const left = berths.filter((berth) => berth.name !== name)
  const price = berths.find((berth) => berth.name === name)?.price
  const map = { id: 'map', component: 'BerthMap', title: `${name} is yours`, berths: left }
  return [
    { version, updateDataModel: { surfaceId, path: '/price', value: price } },
    { version, updateComponents: { surfaceId, components: [map] } },
  ]
}

/** Shows the berths that are free, and books the one that is chosen. */
export const harbour = defineActor(async ({ messages, respond }) => {
  const [part] = messages.flatMap(({ parts }) => parts)
  const { action } = (part?.data ?? {}) as { action?: { context: { berth: string } } }
  const data = action === undefined ? free : taken(action.context.berth)
  await respond({ parts: [{ partType: 'a2ui-surface', data }], turnState: 'complete' })
})
