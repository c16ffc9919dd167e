import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Imports every entry point of our packages by its name, and prints what it exports: of the sources with
// `--conditions=@cool-ai/source`, of the built files without. Style sheets are no modules.
const root = fileURLToPath(new URL('..', import.meta.url))

for (const path of globSync('packages/*/package.json', { cwd: root }).toSorted()) {
  const { name, exports } = JSON.parse(readFileSync(join(root, path), 'utf8')) as {
    readonly name: string
    readonly exports: Readonly<Record<string, { readonly default?: string } | string>>
  }
  for (const [subpath, target] of Object.entries(exports)) {
    if (typeof target === 'string' || !target.default?.endsWith('.js')) continue
    const entryPoint = join(name, subpath)
    const exported = (await import(entryPoint)) as object
    console.log(`${entryPoint}: ${Object.keys(exported).toSorted().join(' ')}`)
  }
}
