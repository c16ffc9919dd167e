import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown, type CodeSplittingNameFunction } from 'rolldown'

/*
 * The JavaScript that is published: one file for each entry point of a package, with what several of them share in files
 * of their own. An agent loads a tenth of the files that way, and needs less memory. The types come from `tsc`.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  readonly imports?: Readonly<Record<string, { readonly default: string }>>
  readonly exports: Readonly<Record<string, string | { readonly default?: string }>>
}

/** The files that users import or run, except those that are bundled for browsers, and those that stand for others in a checkout, by their names in `dist` and `src` without the ending. */
function entriesOf({ bin = {}, imports = {}, exports }: Manifest): string[] {
  const built = Object.values(exports).map((target) => (typeof target === 'string' ? '' : (target.default ?? '')))
  const internal = Object.values(imports).map((target) => target.default)
  return [...built, ...internal, ...Object.values(bin)].flatMap(
    (path) => /^\.\/dist\/(?!element\/)(?<name>.+)\.js$/.exec(path)?.groups?.name ?? [],
  )
}

/** A character beyond Latin-1, such as an ellipsis, doubles what the whole file takes in memory. `String.raw` may have one in a pattern only, where the escape means the same. */
function latin(code: string): string {
  return code.replace(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** It loads all of `jose`. */
const a2aSdk = '@a2a-js/sdk'

type ModuleGraph = Parameters<CodeSplittingNameFunction>[1]

/** Whether a module, or one that it is connected to by `next`, is one that `is` looks for. */
function anyOf(next: 'importers' | 'importedIds', is: (id: string) => boolean) {
  const known = new Map<string, boolean>()
  const found = (id: string, graph: ModuleGraph): boolean => {
    if (is(id)) return true
    const before = known.get(id)
    if (before !== undefined) return before
    // Modules import one another in no circle.
    const any = graph.getModuleInfo(id)?.[next].some((other) => found(other, graph)) ?? false
    known.set(id, any)
    return any
  }
  return found
}

async function bundle(folder: string): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  for (const old of globSync('dist/**/*.{js,js.map}', { cwd: folder })) rmSync(join(folder, old))
  const sources = globSync('src/**/*.{ts,tsx}', { cwd: folder })
  const input = Object.fromEntries(
    entriesOf(manifest).map((name) => {
      const source = sources.find((path) => path === `src/${name}.ts` || path === `src/${name}.tsx`)
      if (source === undefined) throw new Error(`${folder}: no source of dist/${name}.js`)
      return [name, join(folder, source)]
    }),
  )
  const isOwn = (id: string) => id.startsWith('.') || id.startsWith('/') || /^[A-Za-z]:/.test(id)
  const isWithRoot = anyOf('importers', (id) => id === input.index)
  const installed = Object.keys(manifest.dependencies ?? {})
  const needsOptional = anyOf(
    'importedIds',
    (id) =>
      !isOwn(id) && !id.startsWith('node:') && !installed.some((name) => id === name || id.startsWith(`${name}/`)),
  )
  const needsSdk = anyOf('importedIds', (id) => id === a2aSdk)
  const isApart = (id: string, graph: ModuleGraph) =>
    needsSdk(id, graph) && Object.values(input).some((entry) => !needsSdk(entry, graph))
  const isEntry = (id: string, graph: ModuleGraph) => graph.getModuleInfo(id)?.isEntry === true
  const isShared = (id: string, graph: ModuleGraph) => !isEntry(id, graph) && !isApart(id, graph)
  await using build = await rolldown({
    input,
    external: (id) => !isOwn(id),
    tsconfig: join(folder, 'tsconfig.json'),
    // `"use client"` stays: it is at the beginning of entry points only.
    checks: { moduleLevelDirective: false },
  })
  // Not minified, and its comments are kept: a source map would say little more, for 2 MB.
  const target = join(folder, 'dist')
  const { output } = await build.write({
    dir: target,
    chunkFileNames: 'shared/[name].js',
    // What the package's own entry point loads is one file, and what other entry points share another: each file that Node
    // loads takes memory of its own. What needs an optional package stays by itself, and so does what needs the A2A SDK where other entry
    // points do without.
    codeSplitting: {
      groups: [
        { debugName: 'root', name: (id, graph) => (isShared(id, graph) && isWithRoot(id, graph) ? 'root' : null) },
        {
          debugName: 'shared',
          tags: ['$initial'],
          minShareCount: 2,
          name: (id, graph) => (isShared(id, graph) && !needsOptional(id, graph) ? 'shared' : null),
        },
      ],
    },
  })
  for (const file of output) {
    if (file.type === 'chunk') writeFileSync(join(target, file.fileName), latin(file.code))
  }
}

for (const manifest of globSync('packages/*/package.json', { cwd: root })) await bundle(join(root, manifest, '..'))
