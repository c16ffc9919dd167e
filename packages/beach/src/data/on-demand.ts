// What reads and writes whole data folders, and replays: loaded by the first call, since an agent that runs needs none of it.
import type { replay as Replay } from '../replay/replay.ts'
import type { checkData as CheckData } from './check-data.ts'
import type { exportData as ExportData } from './moving/export-data.ts'
import type { importData as ImportData } from './moving/import-data.ts'

/** Reads everything in a data folder and says what is damaged. It changes nothing; the agent may run meanwhile. */
export const checkData: typeof CheckData = async (...given) => (await import('./check-data.ts')).checkData(...given)

/** Writes everything that must not be lost as lines of JSON, and says how many records of each kind. The agent may run meanwhile. */
export const exportData: typeof ExportData = async (...given) =>
  (await import('./moving/export-data.ts')).exportData(...given)

/** Writes an export into stores that are empty. One that was cut off goes on when it is run again with the same export. */
export const importData: typeof ImportData = async (...given) =>
  (await import('./moving/import-data.ts')).importData(...given)

/** Runs a stored session again in memory, as it was or with another model or other instructions, and says what is different. */
export const replay: typeof Replay = async (...given) => (await import('../replay/replay.ts')).replay(...given)
