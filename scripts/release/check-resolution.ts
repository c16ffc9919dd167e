import { readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import type { Manifest } from './workspaces.ts'

/**
 * Fails where an import of a tarball would not find its module or its types. Left out are imports by Node 10's algorithm,
 * which has no subpaths, and what is said of CommonJS: our packages are ES modules, which Node lets CommonJS require.
 */
export async function checkResolution(tarball: string, { name, exports = {} }: Manifest): Promise<void> {
  const hasTypes = (target: (typeof exports)[string]) => typeof target !== 'string' && target.types !== undefined
  const others = Object.keys(exports).filter((path) => exports[path] !== undefined && !hasTypes(exports[path]))
  const excludeEntrypoints = others.map((path) => (path.includes('*') ? new RegExp(path.slice(1, -1)) : path))
  const result = await checkPackage(createPackageFromTarballData(readFileSync(tarball)), { excludeEntrypoints })
  if (result.types === false) throw new Error(`${name} has no types.`)
  const wrong = result.problems.filter((problem) => {
    return problem.kind !== 'CJSResolvesToESM' && !('resolutionKind' in problem && problem.resolutionKind === 'node10')
  })
  if (wrong.length > 0) throw new Error(`${name}: ${JSON.stringify(wrong, undefined, 2)}`)
}
