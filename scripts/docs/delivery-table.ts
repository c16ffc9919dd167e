import { PartTypeRegistry } from '@cool-ai/beach-core'
import '@cool-ai/beach-protocol'

/** The canonical part types with their delivery rules, as the table in `docs/explanation/delivery.md`. */
export function deliveryTable(): string {
  const rows = PartTypeRegistry.canonical()
    .entries()
    .map(({ partType, deliveryRules, allowedTransports, peersOnly, requiresPeerConsumes }) => {
      const { streaming, buffered, transports = {} } = deliveryRules
      const exceptions = Object.entries(transports).map(([transport, rule]) => `${transport}: ${rule}`)
      const limits = [
        ...(allowedTransports === undefined ? [] : [`only by ${allowedTransports.join(', ')}`]),
        ...(peersOnly === true ? ['other agents only'] : []),
        ...(requiresPeerConsumes === true ? ['peers whose card consumes it'] : []),
      ]
      return `| \`${partType}\` | ${streaming} | ${buffered} | ${exceptions.join(', ')} | ${limits.join('; ')} |`
    })
  const head =
    '| part type | streaming | buffered | transports with a rule of their own | who gets it |\n|---|---|---|---|---|'
  return [head, ...rows].join('\n')
}

/** The page with its table made anew. */
export function withDeliveryTable(page: string): string {
  return page.replace(/^\| part type \|[\s\S]*?(?=\n\n)/m, () => deliveryTable())
}
