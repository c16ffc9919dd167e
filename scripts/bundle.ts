import { globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/*
 * The JavaScript that is published: one file for each entry point of a package, with what several of them share in files
 * of their own. An agent loads a tenth of the files that way, and needs less memory. The types come from `tsc`.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

interface Manifest {
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
  await using build = await rolldown({
    input,
    external: (id) => !isOwn(id),
    tsconfig: join(folder, 'tsconfig.json'),
    // `"use client"` stays: it is at the beginning of entry points only.
    checks: { moduleLevelDirective: false },
  })
  // Not minified, and its comments are kept: a source map would say little more, for 2 MB.
  await build.write({ dir: join(folder, 'dist'), chunkFileNames: 'shared/[name].js' })
}

for (const manifest of globSync('packages/*/package.json', { cwd: root })) await bundle(join(root, manifest, '..'))
