import { BeachError } from '@cool-ai/beach-core'

/** Loads modules of PostgreSQL, whose driver an agent has to install; without it, the error says so. */
export async function withDriver<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw cause
    throw new BeachError('INVALID_CONFIGURATION', 'PostgreSQL needs its driver. Run: npm install pg', { cause })
  }
}
