import { fileURLToPath } from 'node:url'
import { createBeach } from '@cool-ai/beach'
import { bundlePage, pageFiles } from '@cool-ai/example-kit/bundle-page'
import { harbour } from './harbour-actor.ts'
import { harbourCatalog } from './harbour-catalog.ts'

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
