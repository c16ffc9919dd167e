import { beachVersion } from '../../packages/core/src/version.ts'
import type { Workspace } from './workspaces.ts'

/** Fails unless all packages have one version, depend on each other in exactly that one, and the code says the same. */
export function checkVersions(packages: readonly Workspace[]): void {
  const own = new Set(packages.map(({ manifest }) => manifest.name))
  const wrong = packages.flatMap(({ manifest }) => {
    const { name, version, dependencies, devDependencies, peerDependencies } = manifest
    const named = Object.entries({ ...devDependencies, ...peerDependencies, ...dependencies })
    const other = named.filter(([needed, range]) => own.has(needed) && range !== beachVersion)
    return [
      ...(version === beachVersion ? [] : [`${name} has version ${version}`]),
      ...other.map(([needed, range]) => `${name} depends on ${needed} ${range}`),
    ]
  })
  if (wrong.length === 0) return
  throw new Error(`${wrong.join(', ')}; this is ${beachVersion}. Run \`npm run set-version -- ${beachVersion}\`.`)
}
