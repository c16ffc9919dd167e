import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { encodeCommit } from '@cool-ai/beach-core/log'
import { toWirePart } from '@cool-ai/beach-protocol'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Packages of channels: they stand on the seam `channel`, and never import each other. */
const channels = ['web', 'a2a', 'mcp', 'agui', 'ai-sdk', 'openai', 'chat', 'email', 'phones', 'hooks']

/** Who may import whom. Feature packages do not import each other: they meet at the ports in core; the flows' client stands on the client's reliability layer. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  protocol: ['core'],
  llm: ['core', 'protocol'],
  missives: ['core'],
  a2ui: ['core'],
  client: ['core', 'protocol'],
  page: ['core', 'client', 'a2ui', 'react'],
  react: ['client', 'a2ui'],
  intentflow: ['core', 'protocol', 'client'],
  session: ['core', 'protocol'],
  channel: ['core', 'protocol'],
  web: ['core', 'protocol', 'channel'],
  a2a: ['core', 'protocol', 'channel'],
  mcp: ['core', 'protocol', 'channel'],
  agui: ['core', 'protocol', 'channel'],
  'ai-sdk': ['core', 'protocol', 'channel'],
  openai: ['core', 'protocol', 'channel'],
  chat: ['core', 'protocol', 'channel'],
  email: ['core', 'protocol', 'channel'],
  phones: ['core', 'protocol', 'channel'],
  hooks: ['core', 'protocol', 'channel'],
  inspect: ['core', 'protocol', 'channel'],
  transport: ['core', 'protocol', 'channel', ...channels],
  beach: [
    'core',
    'protocol',
    'a2ui',
    'page',
    'llm',
    'missives',
    'session',
    'channel',
    'transport',
    'inspect',
    ...channels,
  ],
  testing: ['core', 'protocol', 'llm', 'beach'],
}

const names: Readonly<Record<string, string>> = {
  '@cool-ai/beach-core': 'core',
  '@cool-ai/beach-protocol': 'protocol',
  '@cool-ai/beach-llm': 'llm',
  '@cool-ai/beach-react': 'react',
  '@cool-ai/beach-missives': 'missives',
  '@cool-ai/beach-session': 'session',
  '@cool-ai/beach-transport': 'transport',
  '@cool-ai/beach-channel': 'channel',
  '@cool-ai/beach-web': 'web',
  '@cool-ai/beach-a2a': 'a2a',
  '@cool-ai/beach-mcp': 'mcp',
  '@cool-ai/beach-agui': 'agui',
  '@cool-ai/beach-ai-sdk': 'ai-sdk',
  '@cool-ai/beach-openai': 'openai',
  '@cool-ai/beach-chat': 'chat',
  '@cool-ai/beach-email': 'email',
  '@cool-ai/beach-phones': 'phones',
  '@cool-ai/beach-hooks': 'hooks',
  '@cool-ai/beach-inspect': 'inspect',
  '@cool-ai/beach-a2ui': 'a2ui',
  '@cool-ai/beach-client': 'client',
  '@cool-ai/beach-page': 'page',
  '@intentflow/core': 'intentflow',
  '@cool-ai/beach': 'beach',
  '@cool-ai/beach-testing': 'testing',
}

/** The tests whose subject is an example. Other tests get stand-ins and helpers from `@cool-ai/beach-testing`. */
const testsOfExamples: Readonly<Record<string, RegExp>> = {
  kit: /^test\/(browser\/(example|odd)-agent|intentflow\/mcp-flows\.test|mcp\/tool-list\.test)\.ts$/,
  coffee: /^test\/(intentflow\/(coffee-talk|flow-surface|mcp-flows|phone-shop|stories)|mcp\/tool-list)\b/,
  hello: /^test\/(browser\/hello-|client\/(hello-program|restart)\b|live\/sse\.test)/,
  'local-stand-ins': /^test\/local-stand-ins\.test/,
  travel: /^test\/(browser\/.*|webhook\/.*|mcp\/tool-list)\.test\.ts$/,
}

/** What must run in a browser as it is. */
const browserEntries = [
  'packages/core/src/index.ts',
  'packages/core/src/entries/log.ts',
  'packages/core/src/entries/ports.ts',
  'packages/core/src/entries/registries.ts',
  'packages/core/src/entries/runtime.ts',
  'packages/protocol/src/index.ts',
  'packages/protocol/src/stream.ts',
  'packages/a2ui/src/index.ts',
  'packages/a2ui/src/renderer/index.ts',
  'packages/client/src/index.ts',
  'packages/client/src/react.ts',
  'packages/client/src/reliability/index.ts',
  'packages/intentflow/src/index.ts',
  'packages/intentflow/src/client/index.ts',
  'packages/intentflow/src/react/index.ts',
  'packages/inspect/page/main.tsx',
  'packages/page/element/beach-chat.ts',
  'packages/page/page/main.ts',
  'examples/kit/page/main.ts',
  'examples/local-stand-ins/page/main.tsx',
  'examples/coffee/page/main.tsx',
]

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test[.-]/.test(name))
    .map((name) => join(folder, name))
}

interface Import {
  readonly from: string
  readonly typeOnly: boolean
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '')
  const found = text.matchAll(
    /^(?:import|export)(\s+type)?\b[^'"]*?from\s+['"]([^'"]+)['"]|import\(?\s*['"]([^'"]+)['"]/gm,
  )
  return [...found].map(([, type, from, bare]) => ({ from: from ?? bare ?? '', typeOnly: type !== undefined }))
}

function packageOf(specifier: string): string | undefined {
  const name = specifier.split('/').slice(0, 2).join('/')
  return names[name]
}

test.each(Object.keys(mayImport))('%s imports only the packages that the table allows', (name) => {
  for (const file of sources(`packages/${name}/src`)) {
    for (const { from } of importsOf(file)) {
      const target = packageOf(from)
      if (target !== undefined) expect([name, ...(mayImport[name] ?? [])], `${file} imports ${from}`).toContain(target)
      if (from.startsWith('.')) {
        expect(relative(`packages/${name}/src`, join(dirname(file), from)), `${file} imports ${from}`).not.toMatch(
          /^\.\./,
        )
      }
    }
  }
})

test('every package is in the table, and its manifest agrees with it', () => {
  expect(readdirSync(join(root, 'packages')).toSorted()).toEqual(Object.keys(mayImport).toSorted())
  for (const [name, allowed] of Object.entries(mayImport)) {
    const manifest = JSON.parse(readFileSync(join(root, `packages/${name}/package.json`), 'utf8')) as {
      dependencies?: Record<string, string>
    }
    const own = Object.keys(manifest.dependencies ?? {}).flatMap((dependency) => names[dependency] ?? [])
    expect(allowed).toEqual(expect.arrayContaining(own))
  }
})

test('ARCHITECTURE.md has the same table', () => {
  const document = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const rows = [...document.matchAll(/^\| (`?\S*@(?:cool-ai|intentflow).*?) \|.*?\| ([^|]*) \|$/gm)]
  const documented: Record<string, readonly string[]> = {}
  for (const [, links = '', allowed = ''] of rows) {
    const above = Object.keys(documented)
    const [all, except = ''] = allowed.split(', except ')
    const listed = all?.split(', ').flatMap((name) => (name === 'the channels' ? channels : name === '–' ? [] : name))
    const imports =
      all === 'all of the above' ? above.filter((name) => !except.split(' and ').includes(name)) : (listed ?? [])
    for (const [, name = ''] of links.matchAll(/packages\/([\w-]+)\/README/g)) documented[name] = imports.toSorted()
  }
  const enforced = Object.entries(mayImport).map(([name, imports]) => [name, imports.toSorted()])
  expect(documented).toEqual(Object.fromEntries(enforced))
})

test('members of options that may be left out may also be undefined', () => {
  const files = readdirSync(join(root, 'packages'), { recursive: true, encoding: 'utf8' })
  const own = files.filter((name) => /^[^/]+\/src\/.*\.tsx?$/.test(name) && !name.includes('.test'))
  const members = own.flatMap((name) => {
    const text = readFileSync(join(root, 'packages', name), 'utf8')
    const types = text.matchAll(
      /^(?:export )?(?:interface|type) (\w*(?:Options|Settings|Config))\b[^\n]*\{\n([\s\S]*?)^\}/gm,
    )
    return [...types].flatMap(([, type, body = '']) =>
      [...body.matchAll(/^ {2}(?:readonly )?(\w+)\?: (.*)$/gm)].map(([, member, is = '']) => ({
        type,
        member,
        is,
        name,
      })),
    )
  })
  expect(members.length).toBeGreaterThan(300)
  // One that goes on in further lines is not looked at.
  const strict = members.filter(({ is }) => !/\bundefined\b|^(?:unknown|never)$|[{(|]$/.test(is))
  expect(strict.map(({ name, type, member }) => `${name}: ${type}.${member}`)).toEqual([])
})

test('a test imports an example only if that example is its subject', () => {
  const files = ['packages', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  for (const file of files.filter((name) => /\.tsx?$/.test(name) && !/node_modules|\/dist\//.test(name))) {
    for (const { from } of importsOf(file)) {
      const example = exampleOf(file, from)
      if (example === undefined) continue
      expect(testsOfExamples[example]?.test(file), `${file} imports ${from}`).toBe(true)
    }
  }
})

/** The example that a specifier leads to. */
function exampleOf(file: string, specifier: string): string | undefined {
  const path = specifier.startsWith('.') ? join(dirname(file), specifier) : specifier
  return /^(?:examples\/|@cool-ai\/example-)([^/]+)/.exec(path)?.[1]
}

test.each(browserEntries)('%s reaches nothing of Node’s', (entry) => {
  const { files, imports } = reachedFrom(entry)
  for (const { file, from } of imports) {
    expect(from.startsWith('node:') || builtinModules.includes(from), `${file} imports ${from}`).toBe(false)
  }
  expect(files.size).toBeGreaterThan(2)
})

test.each(['client', 'react'])('the %s of flows loads no state machines: those run on the server', (part) => {
  const { imports } = reachedFrom(`packages/intentflow/src/${part}/index.ts`)
  for (const { file, from } of imports) expect(from, file).not.toBe('xstate')
})

test('testAgent() loads no mail server', () => {
  const { imports } = reachedFrom('packages/testing/src/index.ts')
  for (const { file, from } of imports) expect(from, file).not.toMatch(/^(mailauth|nodemailer|postal-mime|smtp-server)/)
})

/** All files that an entry loads, and what each of them imports. */
function reachedFrom(entry: string): { files: Set<string>; imports: { file: string; from: string }[] } {
  const files = new Set<string>()
  const imports: { file: string; from: string }[] = []
  const rest = [entry]
  for (let file = rest.pop(); file !== undefined; file = rest.pop()) {
    if (files.has(file)) continue
    files.add(file)
    for (const { from, typeOnly } of importsOf(file)) {
      if (typeOnly) continue
      imports.push({ file, from })
      if (/\.css(\?inline)?$/.test(from)) continue
      if (from.startsWith('.')) rest.push(relative(root, resolve(root, dirname(file), from)))
      else if (packageOf(from) !== undefined) rest.push(sourceOf(from))
    }
  }
  return { files, imports }
}

/** The source file that a specifier of ours stands for. */
function sourceOf(specifier: string): string {
  const folder = `packages/${packageOf(specifier)}`
  const key = specifier.split('/').slice(2).join('/')
  const { exports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    exports: Record<string, Record<string, string>>
  }
  const target = exports[key === '' ? '.' : `./${key}`]?.['@cool-ai/source']
  if (target === undefined) throw new Error(`${specifier} has no source`)
  return join(folder, target)
}

function stackOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof Error) return error.stack ?? ''
  }
  throw new Error('This was expected to throw.')
}

describe('imports of our own packages resolve to their sources', () => {
  test('in tests', () => {
    expect(stackOf(() => encodeCommit([]))).toContain('packages/core/src/session-log.ts')
    expect(stackOf(() => toWirePart(null as never))).toContain('packages/protocol/src/')
  })

  test.each(Object.keys(names))('in a process that has the condition: %s', (name) => {
    const script = `console.log(import.meta.resolve('${name}'))`
    const args = ['--conditions=@cool-ai/source', '--input-type=module', '--eval', script]
    const resolved = execFileSync(process.execPath, args, { cwd: join(root, 'packages/beach'), encoding: 'utf8' })
    expect(resolved.trim()).toMatch(/\/src\/index\.ts$/)
  })
})

test('time, chance and identity come from the runtime', () => {
  // The clients' clocks are their own: they keep a program going while it waits to connect.
  const allowed = new Set([
    'packages/core/src/clock.ts',
    'packages/core/src/keep-alive.ts',
    'packages/core/src/runtime.ts',
    'packages/client/src/reliability/platform.ts',
    // A script that runs in the browser of whoever reads the page.
    'packages/testing/src/local/live-lists.ts',
  ])
  for (const name of Object.keys(mayImport)) {
    for (const file of sources(`packages/${name}/src`)) {
      if (allowed.has(file)) continue
      const code = readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
      expect(code, file).not.toMatch(/\b(?:Date\.now|setTimeout|setInterval|Math\.random|randomUUID)\(/)
    }
  }
})

test('no module of a package creates a formatter of Intl while it loads', () => {
  // The first one takes 8 MB of memory, also in an agent that never formats a date.
  for (const name of Object.keys(mayImport)) {
    for (const file of sources(`packages/${name}/src`)) {
      expect(readFileSync(join(root, file), 'utf8'), file).not.toMatch(/^(?:export )?const .*\bIntl\.\w+\(/m)
    }
  }
})

test('sessions, the protocol and createBeach pass fields on by name, never a whole context', () => {
  // At run time a context may have more fields than its type: spread into options, they are read as fields of another type.
  const whole = /\{\s*(?:[^{}]*,\s*)?\.\.\.(?:this\.#)?(?:options|world|context)\s*[,}]/
  for (const name of ['session', 'protocol', 'beach']) {
    for (const file of sources(`packages/${name}/src`)) {
      expect(readFileSync(join(root, file), 'utf8'), file).not.toMatch(whole)
    }
  }
})
