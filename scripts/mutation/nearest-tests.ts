import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** Which tests of core and session import a file, the nearest first: few imports lie between those and the file. */
export class NearestTests {
  readonly #importers = new Map<string, Set<string>>()

  constructor(root: string) {
    const entries = new Map(['core', 'session'].flatMap((name) => entryPoints(root, `packages/${name}`)))
    for (const file of globSync('packages/{core,session}/src/**/*.ts', { cwd: root })) {
      const source = readFileSync(join(root, file), 'utf8')
      for (const [, path = ''] of source.matchAll(/from '([^']+)'/g)) {
        const imported = path.startsWith('.') ? normalize(join(dirname(file), path)) : entries.get(path)
        if (imported === undefined) continue
        this.#importers.set(imported, (this.#importers.get(imported) ?? new Set()).add(file))
      }
    }
  }

  of(file: string): string[] {
    const tests: string[] = []
    const seen = new Set([file])
    // A set is gone through in the order in which things come into it: breadth first.
    for (const one of seen) {
      if (one.endsWith('.test.ts')) tests.push(one)
      for (const importer of this.#importers.get(one) ?? []) seen.add(importer)
    }
    return tests
  }
}

/** The names that a package is imported by, and the source that stands behind each. */
function entryPoints(root: string, folder: string): [string, string][] {
  const { name, exports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    name: string
    exports: Record<string, { '@cool-ai/source': string }>
  }
  return Object.entries(exports).map(([path, target]) => [join(name, path), join(folder, target['@cool-ai/source'])])
}
