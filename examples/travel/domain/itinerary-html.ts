import { escapeHtml } from './escape-html.ts'
import { longDate } from './iso-date.ts'
import type { Itinerary } from './itinerary.ts'
import { inPounds } from './money.ts'
import type { PackageLine } from './package-line.ts'

const style = `
:root { font: 1rem/1.5 system-ui, sans-serif; color: #1d2327; background: #fff; }
body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0.25rem; color: #0b5c80; }
h2 { margin: 1.5rem 0 0.5rem; border-bottom: 1px solid #d5d0c4; font-size: 1.15rem; }
article { break-inside: avoid; margin: 0 0 1rem; }
h3 { margin: 0; font-size: 1rem; }
p { margin: 0; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.25rem 0; text-align: start; vertical-align: top; }
td:last-child, th:last-child { text-align: end; white-space: nowrap; }
tfoot { border-top: 1px solid #1d2327; font-weight: 600; }
footer { margin-top: 2rem; color: #5f686e; font-size: 0.85rem; }
@media print { body { margin: 0; max-width: none; } h2 { break-after: avoid; } }
`

/** The itinerary as one page that needs nothing else, neither scripts nor network, and prints well. */
export function itineraryHtml(itinerary: Itinerary): string {
  const { title, items, total } = itinerary
  const days = [...Map.groupBy(items, ({ start }) => start.slice(0, 10))]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${escapeHtml(title)}</h1>
${about(itinerary).map(paragraph).join('\n')}
</header>
<main>
${days.map(([date, lines]) => day(date, lines)).join('\n')}
<h2>Prices</h2>
<table>
<thead><tr><th scope="col">Item</th><th scope="col">Price</th></tr></thead>
<tbody>
${items.map(priceRow).join('\n')}
</tbody>
<tfoot><tr><th scope="row">Total</th><td>${escapeHtml(total)}</td></tr></tfoot>
</table>
</main>
<footer><p>Made by ExampleTravel. All times are local.</p></footer>
</body>
</html>
`
}

function about({ reference, isBooked, travellers }: Itinerary): string[] {
  const status = isBooked ? `Booking reference: ${reference}` : 'A proposal: nothing is booked yet.'
  return travellers.length === 0 ? [status] : [status, `Travellers: ${travellers.join(', ')}`]
}

function day(date: string, lines: readonly PackageLine[]): string {
  return `<section>\n<h2>${escapeHtml(longDate(date))}</h2>\n${lines.map(article).join('\n')}\n</section>`
}

function article(line: PackageLine): string {
  const texts = [timeText(line), line.details, line.place]
  return `<article>\n<h3>${escapeHtml(line.title)}</h3>\n${texts.map(paragraph).join('\n')}\n</article>`
}

function timeText({ type, start, end }: PackageLine): string {
  if (!start.includes('T')) {
    const ends = type === 'hotel' ? 'Check out on' : 'Until'
    return `${ends} ${longDate(end)}`
  }
  const [startDay, endDay] = [start.slice(0, 10), end.slice(0, 10)]
  const later = startDay === endDay ? '' : ` on ${longDate(endDay)}`
  return `${start.slice(11, 16)} to ${end.slice(11, 16)}${later}`
}

function priceRow({ title, quantity, unitPence, totalPence }: PackageLine): string {
  const each = quantity === 1 ? '' : ` (${quantity} × ${inPounds(unitPence)})`
  return `<tr><td>${escapeHtml(title + each)}</td><td>${escapeHtml(inPounds(totalPence))}</td></tr>`
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`
}
