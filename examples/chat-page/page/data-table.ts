const mostRows = 20
const mostColumns = 6

/** Data of any kind: a list of objects as a table, anything else as names and values. */
export function dataTable(data: unknown): HTMLElement {
  const rows = listIn(data)
  if (rows === undefined) return plain(data)
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    .filter((name) => !name.endsWith('Id') && rows.some((row) => isScalar(row[name])))
    .slice(0, mostColumns)
  const table = document.createElement('table')
  const head = table.createTHead().insertRow()
  for (const name of columns) {
    const cell = document.createElement('th')
    cell.textContent = inWords(name)
    head.append(cell)
  }
  const body = table.createTBody()
  for (const row of rows.slice(0, mostRows)) {
    const line = body.insertRow()
    for (const name of columns) line.insertCell().textContent = shown(row[name])
  }
  return table
}

type Row = Readonly<Record<string, unknown>>

/** The first list of objects in the data, which is what a table is for. */
function listIn(data: unknown): Row[] | undefined {
  const lists = Array.isArray(data) ? [data] : isRow(data) ? Object.values(data) : []
  return lists.find((list): list is Row[] => Array.isArray(list) && list.length > 0 && list.every(isRow))
}

function plain(data: unknown): HTMLElement {
  if (isRow(data)) {
    const list = document.createElement('dl')
    for (const [name, value] of Object.entries(data)) {
      const term = document.createElement('dt')
      const description = document.createElement('dd')
      term.textContent = inWords(name)
      description.textContent = isScalar(value) ? shown(value) : JSON.stringify(value)
      list.append(term, description)
    }
    return list
  }
  const text = document.createElement('pre')
  text.textContent = JSON.stringify(data, null, 2)
  return text
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

function shown(value: unknown): string {
  if (!isScalar(value)) return ''
  const text = String(value)
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text) ? text.slice(0, 16).replace('T', ' ') : text
}

/** `pricePerPerson` as people write it. */
function inWords(name: string): string {
  const words = name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
