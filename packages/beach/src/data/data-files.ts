import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { BeachError } from '@cool-ai/beach-core'

/** What a data folder has in it, each as a path from the folder. */
export interface DataFiles {
  readonly databases: readonly string[]
  /** Folders of artifacts. */
  readonly artifacts: readonly string[]
  /** Everything else. */
  readonly others: readonly string[]
}

/** Looks through a data folder, and those of agents that stand in it. */
export function dataFiles(folder: string): DataFiles {
  const found = { databases: [] as string[], artifacts: [] as string[], others: [] as string[] }
  const look = (path: string) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const name = relative(folder, join(path, entry.name))
      if (entry.isDirectory() && entry.name === 'artifacts') found.artifacts.push(name)
      else if (entry.isDirectory()) look(join(path, entry.name))
      else if (entry.name.endsWith('.db')) found.databases.push(name)
      else if (!/\.db-(?:wal|shm)$/.test(entry.name)) found.others.push(name)
    }
  }
  try {
    look(folder)
  } catch (cause) {
    if (!existsSync(folder)) throw new BeachError('INVALID_CONFIGURATION', `There is no folder ${folder}.`, { cause })
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new BeachError('INVALID_CONFIGURATION', `The data folder ${folder} cannot be read: ${reason}`, { cause })
  }
  return found
}
