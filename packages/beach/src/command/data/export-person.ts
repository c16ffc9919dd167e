import { BeachError } from '@cool-ai/beach-core'
import { parseAddress } from '@cool-ai/beach-missives'
import { plainLine } from '../plain-text.ts'
import { visitData } from '../visit/visit-data.ts'
import type { WriteExport } from './export-file.ts'

/** Whose data, and where it is. */
export interface PersonChoice {
  readonly person: string
  readonly tenant?: string | undefined
  readonly data: string | undefined
  readonly config?: string | undefined
}

/** How many records of each kind were written. */
export type PersonCounts = Readonly<Record<string, number>>

/** Everything of a person as lines of JSON. That it was exported is on record before anything is read. */
export function everythingOfPerson({ person, tenant, data, config }: PersonChoice): WriteExport<PersonCounts> {
  const address = parseAddress(person)
  return async (write) => {
    const visited = await visitData(data, config, tenant)
    try {
      const { operator, missives, audit } = visited
      await audit.act(operator, 'person.export', {})
      const counts: Record<string, number> = {}
      let heading = ''
      for await (const record of missives.personData(address, operator)) {
        const line = `${JSON.stringify(record)}\n`
        if (record.kind === 'person') {
          // Alone it says no more than the question did.
          heading = line
          continue
        }
        await write(heading + line)
        heading = ''
        counts[record.kind] = (counts[record.kind] ?? 0) + 1
      }
      if (heading === '') return counts
      const message = `There is nothing of ${plainLine(address)} in the tenant '${operator.tenant}'. Another one is named by --tenant.`
      throw new BeachError('NOT_FOUND', message)
    } finally {
      await visited.close()
    }
  }
}
