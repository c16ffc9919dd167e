import type * as sqlite from 'node:sqlite'

// Not imported: an import that Node cannot link fails before any of our code runs, with `No such built-in module`.
function nodeSqlite(): typeof sqlite {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 18)) return process.getBuiltinModule('node:sqlite')
  throw new Error(
    `Beach needs Node 22.18 or later, and this is Node ${process.versions.node}. Install a newer one from https://nodejs.org or with your version manager, such as \`nvm install 24\`.`,
  )
}

/** A connection to a SQLite file, from Node; on a Node that is too old for Beach, loading this module says so. */
export const { DatabaseSync } = nodeSqlite()
export type DatabaseSync = sqlite.DatabaseSync
