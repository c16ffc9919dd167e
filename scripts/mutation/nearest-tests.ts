import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const packages: Readonly<Record<string, string>> = {
  '@cool-ai/beach-core': 'packages/core/src/index.ts',
  '@cool-ai/beach-core/contracts': 'packages/core/src/contracts/index.ts',
  '@cool-ai/beach-session': 'packages/session/src/index.ts',
  '@cool-ai/beach-session/memory': 'packages/session/src/stores/memory/memory-store.ts',
  '@cool-ai/beach-session/sqlite': 'packages/session/src/stores/sqlite/sqlite-store.ts',
}

/** Which tests of core and session import a file, the nearest first: few imports lie between those and the file. */
export class NearestTests {
  readonly #importers = new Map<string, Set<string>>()

  constructor(root: string) {
    for (const file of globSync('packages/{core,session}/src/**/*.ts', { cwd: root })) {
      const source = readFileSync(join(root, file), 'utf8')
      for (const [, path = ''] of source.matchAll(/from '([^']+)'/g)) {
        const imported = path.startsWith('.') ? normalize(join(dirname(file), path)) : packages[path]
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
