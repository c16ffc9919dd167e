import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '@cool-ai/beach-testing/free-port'
import { percentile } from './measure.ts'
import { withScratchFolder } from './scratch-folder.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const startsMeasured = 7

interface Locked {
  /** Where a workspace is, for the link to it. */
  readonly resolved?: string
  readonly link?: true
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/** What a greeter costs whose only dependency is `@cool-ai/beach`, and the goal. It prints its own lines: there is no bare side. */
export async function installBench(): Promise<void> {
  execFileSync('npm', ['run', 'build'], { cwd: root })
  for (const { name, value, goal } of await installFigures()) print(`install: ${name}`, value, `≤ ${goal}`)
  const starts: number[] = []
  for (let start = 0; start < startsMeasured; start++) starts.push(await startOfDemo())
  print('install: from npm start until it answers, ms', percentile(starts, 0.5), '≤ 2000')
}

/** How long a user waits for the examples, with a new data folder. */
function startOfDemo(): Promise<number> {
  return withScratchFolder(async (folder) => {
    const port = await freePort(2)
    const env = { ...process.env, PORT: String(port), BEACH_DATA: folder }
    const begun = performance.now()
    // A group of its own: npm does not pass every signal on.
    const child = spawn('npm', ['start'], { cwd: root, env, stdio: 'ignore', detached: true })
    const ended = once(child, 'exit')
    try {
      while (!(await isThere(`http://127.0.0.1:${port}/healthz`))) await wait(10)
      return performance.now() - begun
    } finally {
      process.kill(-(child.pid ?? 0), 'SIGTERM')
      await ended
    }
  })
}

async function isThere(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** What a greeter tells of itself. */
type Greeted = Readonly<Record<'modules' | 'bytes' | 'withPage' | 'importMs' | 'readyMs', number>>

interface InstallFigure {
  readonly name: string
  readonly value: number
  readonly goal: number
  /** Memory is not the same twice. */
  readonly isExact: boolean
}

/** What npm would install for it, by our lock file and our packages as they have been built, and what it loads. */
export async function installFigures(): Promise<readonly InstallFigure[]> {
  return withScratchFolder(async (folder) => {
    const places = installed('packages/beach')
    copyOwn(
      places.filter((place) => place.startsWith('packages/')),
      folder,
    )
    for (const place of places) {
      if (place.startsWith('node_modules/')) copyPackage(place, join(folder, place))
    }
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'greeter', type: 'module' }))
    writeFileSync(join(folder, 'greeter.js'), greeter)
    const run = (...flags: readonly string[]) => {
      const printed = execFileSync(process.execPath, [...flags, 'greeter.js'], { cwd: folder, encoding: 'utf8' })
      return JSON.parse(printed) as Greeted
    }
    writeFileSync(join(folder, 'count-modules.js'), countModules)
    // Counting modules takes memory of its own.
    const { modules } = run('--import=./count-modules.js')
    const { bytes, withPage } = run()
    const starts = Array.from({ length: startsMeasured }, () => run())
    const exact = (name: string, value: number, goal: number) => ({ name, value, goal, isExact: true })
    const about = (name: string, value: number, goal: number) => ({ name, value, goal, isExact: false })
    return [
      exact('packages', places.length, 45),
      exact('size of their files, MB', sizeOf(join(folder, 'node_modules')) / 1e6, 40),
      exact('own modules that a greeter loads', modules, 250),
      about('memory of the greeter once it listens, MB', bytes / 1e6, 100),
      about('memory once a browser has the chat page, MB', withPage / 1e6, 125),
      about('import of @cool-ai/beach, ms', medianOf(starts, 'importMs'), 150),
      about('from its start until the greeter listens, ms', medianOf(starts, 'readyMs'), 400),
    ]
  })
}

/** The smallest agent, as the README of `@cool-ai/beach` has it; it tells what it has loaded, and serves its chat page. */
const greeter = `
const begun = performance.now()
const { createBeach, defineActor } = await import('@cool-ai/beach')
const importMs = performance.now() - begun
const greeter = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'response', text: 'You said: ' + text }], turnState: 'complete' })
})
const beach = await createBeach({ agent: { id: 'greeter', name: 'Greeter' }, data: '.beach', actors: { greeter } })
const { url } = await beach.listen({ port: 0 })
const readyMs = performance.now()
const modules = globalThis.modules?.size ?? 0
const bytes = process.memoryUsage().rss
const page = await (await fetch(url)).text()
const paths = [...page.matchAll(/(?:src|href)="\\.(\\/assets\\/[^"]+)"/g)].map(([, path]) => path)
const files = await Promise.all(paths.map(async (path) => (await fetch(url + path)).status))
if (files.length < 3 || files.some((status) => status !== 200)) throw new Error('The chat page is not whole: ' + page)
console.log(JSON.stringify({ modules, bytes, withPage: process.memoryUsage().rss, importMs, readyMs }))
await beach.close()
`

const countModules = `
import { registerHooks } from 'node:module'
globalThis.modules = new Set()
registerHooks({
  load(url, context, next) {
    if (url.includes('/@cool-ai/')) globalThis.modules.add(url)
    return next(url, context)
  },
})
`

/** Where in this checkout all packages are that a package needs, itself among them. */
function installed(workspace: string): string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>
  }
  const found = new Set<string>()
  const add = (place: string) => {
    if (found.has(place)) return
    found.add(place)
    for (const name of neededBy(lock.packages[place] ?? {})) {
      const needed = placeOf(name, place, lock.packages)
      if (needed !== undefined && existsSync(join(root, needed))) add(needed)
    }
  }
  add(workspace)
  return [...found]
}

function neededBy({
  dependencies,
  optionalDependencies,
  peerDependencies = {},
  peerDependenciesMeta,
}: Locked): string[] {
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta?.[name]?.optional !== true)
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]
}

/** As Node looks for it: next to the package that needs it, then further up. */
function placeOf(name: string, from: string, locked: Readonly<Record<string, Locked>>): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    const { link, resolved } = locked[place] ?? {}
    if (locked[place] !== undefined) return link === true ? resolved : place
    if (folder === '') return undefined
  }
}

/** Our packages with the files that `npm pack` would take. */
function copyOwn(places: readonly string[], folder: string): void {
  const workspaces = places.map((place) => `--workspace=${place}`)
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', ...workspaces], { cwd: root, encoding: 'utf8' })
  const listed = JSON.parse(packed) as readonly {
    readonly name: string
    readonly files: readonly { readonly path: string }[]
  }[]
  for (const { name, files } of listed) {
    const place = places.find((one) => nameIn(one) === name) ?? ''
    for (const { path } of files.filter((file) => isOfNow(place, file.path))) {
      const target = join(folder, 'node_modules', name, path)
      mkdirSync(dirname(target), { recursive: true })
      cpSync(join(root, place, path), target)
    }
  }
}

/** Whether a file is made of a source that is there: `dist` may have types of earlier builds. */
function isOfNow(place: string, path: string): boolean {
  const built = /^dist\/(?<name>.+)\.d\.ts(?:\.map)?$/.exec(path)?.groups?.name
  if (built === undefined) return true
  return ['ts', 'tsx'].some((ending) => existsSync(join(root, place, `src/${built}.${ending}`)))
}

function nameIn(place: string): string {
  return (JSON.parse(readFileSync(join(root, place, 'package.json'), 'utf8')) as { readonly name: string }).name
}

/** A package without the packages inside it: those that are needed are copied by themselves. */
function copyPackage(place: string, target: string): void {
  const source = join(root, place)
  cpSync(source, target, { recursive: true, filter: (path) => !path.slice(source.length).startsWith('/node_modules') })
}

function medianOf(starts: readonly Greeted[], of: keyof Greeted): number {
  return percentile(
    starts.map((start) => start[of]),
    0.5,
  )
}

function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

function print(name: string, value: number, goal: string): void {
  console.log(
    `${name.padEnd(56)} ${value.toFixed(value < 100 && !Number.isInteger(value) ? 1 : 0).padStart(6)}  ${goal}`,
  )
}
