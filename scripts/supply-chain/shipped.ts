// What an application installs with the published packages, read from the lockfile.

/** One package of the lockfile, as npm writes it. */
type LockedPackage = {
  name?: string
  version?: string
  license?: string
  integrity?: string
  link?: boolean
  hasInstallScript?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

export type Lockfile = { packages: Record<string, LockedPackage> }

/** A package that is shipped, with the paths in the lockfile of what it requires. */
export type ShippedPackage = LockedPackage & { path: string; name: string; requires: string[] }

/** The folder that Node would take `name` from when a module below `from` imports it. */
function resolve(lock: Lockfile, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    const found = lock.packages[path]
    if (found !== undefined) return found.link ? workspaceOf(lock, name) : path
    if (folder === '') return undefined
    if (!folder.includes('/node_modules/')) folder = ''
  }
}

const workspaceOf = (lock: Lockfile, name: string): string | undefined =>
  Object.keys(lock.packages).find((path) => path.startsWith('packages/') && nameOf(lock, path) === name)

function nameOf(lock: Lockfile, path: string): string {
  return lock.packages[path]?.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

/** Required, optional and peer dependencies, of which the optional ones may be absent. */
function requiredBy(locked: LockedPackage): string[] {
  return Object.keys({ ...locked.dependencies, ...locked.optionalDependencies, ...locked.peerDependencies })
}

/** The published packages and everything that they need or can use, each once. */
export function shippedPackages(lock: Lockfile): ShippedPackage[] {
  const shipped = new Map<string, ShippedPackage>()
  const open = Object.keys(lock.packages).filter((path) => /^packages\/[^/]+$/.test(path))
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const locked = lock.packages[path]
    if (locked === undefined || shipped.has(path)) continue
    const requires = requiredBy(locked).flatMap((name) => resolve(lock, path, name) ?? [])
    shipped.set(path, { ...locked, path, name: nameOf(lock, path), requires })
    open.push(...requires)
  }
  return [...shipped.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))
}
