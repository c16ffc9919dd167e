import { spawnSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import { createBeach, defineActor, type BeachOptions } from '@cool-ai/beach'
import { chatElementFiles } from '@cool-ai/beach-page'
import { expect, onTestFinished, test } from 'vitest'

const shop = 'https://shop.example'

async function agent(options: Partial<BeachOptions> = {}) {
  const beach = await createBeach({
    agent: { id: 'clerk', name: 'Clerk' },
    data: 'memory',
    actors: { main: defineActor(async () => {}) },
    access: { origins: [shop] },
    page: { suggestions: ['What is due?'], peers: { travel: 'Sally' }, links: [{ label: 'Inner', url: '/inner' }] },
    ...options,
  })
  onTestFinished(() => beach.close())
  return (path: string, headers: Record<string, string> = {}) =>
    beach.fetch(new Request(`http://127.0.0.1${path}`, { headers }))
}

test('the script is for every page, compressed, and asked for again; what it loads is kept for a year', async () => {
  const get = await agent()
  const headers = { origin: 'https://unknown.example', 'accept-encoding': 'br' }
  const script = await get('/beach-chat.js', headers)
  expect(script.status).toBe(200)
  expect(script.headers.get('content-type')).toMatch(/^text\/javascript/)
  expect(script.headers.get('access-control-allow-origin')).toBe('*')
  expect(script.headers.get('cache-control')).toBe('private, no-cache')
  const again = await get('/beach-chat.js', { ...headers, 'if-none-match': script.headers.get('etag') ?? '' })
  expect(again.status).toBe(304)
  const code = await script.text()
  const [loaded] = /beach-chat\/define-[\w-]+\.js/.exec(code) ?? []
  const chunk = await get(`/${loaded}`, headers)
  expect(chunk.headers.get('content-encoding')).toBe('br')
  expect(chunk.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect((await get('/beach-chat/other.js')).status).toBe(404)
})

test('listed pages and the agent’s own are told what the element shows, every other page that it may not', async () => {
  const get = await agent()
  const listed = await get('/beach-chat.json', { origin: shop })
  expect(listed.headers.get('access-control-allow-origin')).toBe(shop)
  const about = { name: 'Clerk', suggestions: ['What is due?'], peers: { travel: 'Sally' } }
  expect(await listed.json()).toEqual(about)
  expect(await (await get('/beach-chat.json', { origin: 'http://127.0.0.1' })).json()).toEqual(about)
  const other = await get('/beach-chat.json', { origin: 'https://unknown.example' })
  expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([403, '*'])
  expect(await other.json()).toEqual({
    error: {
      code: 'FORBIDDEN',
      message:
        'Pages of https://unknown.example may not call this agent. Add the origin to `access.origins` of createBeach if they should.',
    },
  })
})

test('an agent has it with any page or none, but not without server-sent events', async () => {
  const without = await agent({ page: false })
  expect((await without('/beach-chat.js')).status).toBe(200)
  expect(await (await without('/beach-chat.json')).json()).toEqual({ name: 'Clerk', suggestions: [] })
  expect((await (await agent({ protocols: { sse: false } }))('/beach-chat.js')).status).toBe(404)
})

test('the element is under 77 kB until there is a surface, and brings no React', async () => {
  const files = await chatElementFiles()
  const size = (path: string) => gzipSync(String(files.get(path) ?? ''), { level: 9 }).byteLength
  const main = [...files.keys()].filter((path) => path === '/beach-chat.js' || path.includes('/define-'))
  expect(main).toHaveLength(2)
  expect(main.reduce((sum, path) => sum + size(path), 0)).toBeLessThan(77_000)
  expect([...files.values()].join('')).not.toContain('react.production')
  const surfaces = [...files.keys()].find((path) => path.includes('/renderer-'))
  expect(size(surfaces ?? '')).toBeGreaterThan(20_000)
})

test('on a server nothing is loaded, also where Lit has brought elements', () => {
  const program =
    "import '@cool-ai/beach-a2ui/renderer'; import '@cool-ai/beach-page/beach-chat'; console.log(typeof customElements)"
  const args = ['--conditions=@cool-ai/source', '--input-type=module', '--eval', program]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect([stdout, stderr]).toEqual(['object\n', ''])
})
