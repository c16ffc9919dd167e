import { Pairs } from './pairs.tsx'
import { cellText, inWords, isFields, tableOf } from '@cool-ai/beach-client/view'

/** Data of any kind: a list of objects as a table, anything else as names and values. */
export function DataTable({ data }: { readonly data: unknown }) {
  const table = tableOf(data)
  if (table !== undefined) {
    const { columns, rows, left } = table
    return (
      <div class="scroller" tabIndex={0} role="region" aria-label="Table">
        <table>
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {inWords(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                {columns.map((name) => (
                  <td key={name}>{cellText(row[name])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {left > 0 && <p class="minor">And {left} more.</p>}
      </div>
    )
  }
  const pairs = isFields(data)
    ? Object.entries(data).map(([name, value]) => ({ name: inWords(name), value: cellText(value) }))
    : [{ name: 'Value', value: cellText(data) }]
  return (
    <div class="card padded">
      <Pairs pairs={pairs} />
    </div>
  )
}
