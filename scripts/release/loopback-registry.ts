import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Manifest } from './workspaces.ts'

/** A package and its tarball. */
export interface Packed {
  readonly tarball: string
  readonly manifest: Manifest
}

interface LoopbackRegistry extends AsyncDisposable {
  /** What tells npm to take our packages from here, and all others from where it always does. */
  readonly env: Readonly<Record<string, string>>
}

/** A registry on this machine that has our tarballs and nothing else, so that a project can be made before they are published. */
export async function loopbackRegistry(packages: readonly Packed[]): Promise<LoopbackRegistry> {
  const byName = new Map(packages.map((one) => [one.manifest.name, one]))
  const server = createServer(({ url = '/', headers }, response) => {
    const path = decodeURIComponent(url.slice(1))
    const isTarball = path.endsWith('.tgz')
    const found = byName.get(isTarball ? path.slice(0, -'.tgz'.length) : path)
    if (found === undefined) return response.writeHead(404).end()
    if (isTarball) return response.end(readFileSync(found.tarball))
    const { name, version } = found.manifest
    const dist = { tarball: `http://${headers.host}/${name}.tgz` }
    const entry = { 'dist-tags': { latest: version }, versions: { [version]: { ...found.manifest, dist } } }
    return response.setHeader('content-type', 'application/json').end(JSON.stringify({ name, ...entry }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const scopes = new Set([...byName.keys()].map((name) => name.slice(0, name.indexOf('/'))))
  return {
    env: Object.fromEntries([...scopes].map((scope) => [`npm_config_${scope}:registry`, url])),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
