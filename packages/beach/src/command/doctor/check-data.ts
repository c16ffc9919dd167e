import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { BeachError } from '@cool-ai/beach-core'
import { isUrl } from '../../data/moving/postgres-data.ts'
import type { EncryptionOptions } from '../../encryption.ts'
import { openData } from '../../open-data.ts'
import { ok, problem, warning, type Finding } from './checks.ts'

/** Whether the data can be opened and written, and whether others can read it. Nothing is made that is not there. */
export async function checkData(
  data: string | undefined,
  agent: string,
  encryption?: EncryptionOptions | false,
): Promise<Finding[]> {
  if (data === undefined) return [ok('store', 'The configuration opens its stores itself.')]
  if (data === 'memory') {
    return [
      warning(
        'store',
        'The data is in memory: it is gone with the process.',
        "Set `data` to a folder, such as '.beach'.",
      ),
    ]
  }
  if (isUrl(data)) return [await opened({ store: data, agent, encryption })]
  if (!existsSync(data)) return [ok('store', `${data} is not there yet; the first start makes it.`)]
  return [...permissions(data), await opened({ folder: data, encryption })]
}

async function opened(options: Parameters<typeof openData>[0]): Promise<Finding> {
  const where = options.folder ?? 'the database'
  try {
    const { store, missives, artifacts } = await openData(options)
    await store.check?.()
    await missives.store.close()
    await missives.identities.close()
    await artifacts.close?.()
    await store.close()
    return ok('store', `${where} can be read and written.`)
  } catch (error) {
    const message = error instanceof BeachError ? error.message : `${where} cannot be opened: ${String(error)}`
    return problem('store', message, 'Mend that first: the agent does not start without its store.')
  }
}

function permissions(folder: string): Finding[] {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    return [problem('permissions', `${folder} is not this user's.`, 'Run the agent as its owner, or change the owner.')]
  }
  if (process.platform === 'win32') return []
  const files = [folder, ...readdirSync(folder).map((name) => join(folder, name))]
  const open = files.filter((file) => (statSync(file).mode & 0o077) !== 0)
  if (open.length === 0) return [ok('permissions', `Only its owner can read ${folder}.`)]
  return [problem('permissions', `Others can read ${open.join(', ')}.`, `Run: chmod -R go-rwx ${folder}`)]
}
