import { fileURLToPath } from 'node:url'
import { createBeach, defineActor } from '@cool-ai/beach'
import { bundlePage, pageFiles } from '@cool-ai/example-kit/bundle-page'
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

const harbour = defineActor(async ({ messages, respond }) => {
  const [part] = messages.flatMap(({ parts }) => parts)
  const { action } = (part?.data ?? {}) as { action?: { context: { berth: string } } }
  const data = action === undefined ? free : taken(action.context.berth)
  await respond({ parts: [{ partType: 'a2ui-surface', data }], turnState: 'complete' })
})

const { PORT = '4810', BEACH_DATA = '.beach/catalogs' } = process.env
const serve = pageFiles()
const files = await bundlePage(fileURLToPath(new URL('page', import.meta.url)))

const beach = await createBeach({
  agent: { id: 'harbour', name: 'Harbour', description: 'Finds and books berths.' },
  data: BEACH_DATA,
  actors: { harbour },
  catalogs: [harbourCatalog],
  page: (path, request) => {
    const name = path === '/' ? '/index.html' : path
    const file = files.get(name)
    return file === undefined ? undefined : serve(request, name, file)
  },
})
const { url } = await beach.listen({ port: Number(PORT) })
console.log(`Harbour is at ${url}`)
