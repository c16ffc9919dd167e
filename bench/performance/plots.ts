/** A bar of a plot: how much, and whose it is. */
export interface Bar {
  readonly name: string
  readonly value: number
  readonly ours: boolean
}

const width = 760
const rowHeight = 26
const left = 290
const right = 90

/** Bars, one below the other, on a card of its own, so that it can be read on light and on dark pages. */
export function barPlot(title: string, unit: string, bars: readonly Bar[]): string {
  const top = 56
  const height = top + bars.length * rowHeight + 20
  const max = Math.max(...bars.map(({ value }) => value))
  const rows = bars.map(({ name, value, ours }, index) => {
    const y = top + index * rowHeight
    const length = Math.max(2, (value / max) * (width - left - right))
    return [
      `<text class="name" x="${left - 10}" y="${y + 16}" text-anchor="end">${escaped(name)}</text>`,
      `<rect class="${ours ? 'ours' : 'other'}" x="${left}" y="${y + 4}" width="${length.toFixed(1)}" height="16" rx="3"/>`,
      `<text class="value" x="${(left + length + 8).toFixed(1)}" y="${y + 16}">${shown(value)} ${unit}</text>`,
    ].join('\n  ')
  })
  return card(title, height, rows.join('\n  '))
}

/** A line of a plot: a value for each place, the first of which is 1. */
export interface Line {
  readonly name: string
  readonly values: readonly number[]
}

/** How costs grow from left to right, as multiples of the first. */
export function linePlot(title: string, from: string, to: string, lines: readonly Line[]): string {
  const [top, bottom, plotHeight] = [56, 44, 220]
  const height = top + plotHeight + bottom
  const max = Math.max(2, ...lines.flatMap(({ values }) => values)) * 1.05
  const y = (value: number) => top + plotHeight * (1 - value / max)
  const [begin, end] = [60, width - 350]
  const grid = Array.from({ length: Math.floor(max) + 1 }, (_, value) =>
    [
      `<line class="grid" x1="${begin}" x2="${end}" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}"/>`,
      `<text class="value" x="${begin - 8}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${value}×</text>`,
    ].join('\n  '),
  )
  const labels = spread(lines.map(({ values }) => y(values.at(-1) ?? 0)))
  const drawn = lines.map(({ name, values }, index) => {
    const x = (step: number) => begin + ((end - begin) * step) / Math.max(1, values.length - 1)
    const points = values.map((value, step) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`).join(' ')
    return [
      `<polyline class="line line${index % 4}" points="${points}"/>`,
      `<text class="name" x="${end + 10}" y="${((labels[index] ?? 0) + 4).toFixed(1)}">${escaped(name)}</text>`,
    ].join('\n  ')
  })
  const axis = [
    `<text class="value" x="${begin}" y="${height - 16}">${escaped(from)}</text>`,
    `<text class="value" x="${end}" y="${height - 16}" text-anchor="end">${escaped(to)}</text>`,
  ]
  return card(title, height, [...grid, ...drawn, ...axis].join('\n  '))
}

/** Places of labels, moved down so that none covers another. */
function spread(places: readonly number[]): number[] {
  const order = places.map((place, index) => ({ place, index })).toSorted((a, b) => a.place - b.place)
  const moved = places.slice()
  let free = -Infinity
  for (const { place, index } of order) {
    free = Math.max(place, free)
    moved[index] = free
    free += 18
  }
  return moved
}

function card(title: string, height: number, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
  <style>
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .title { font-weight: 600; font-size: 15px }
    .value { fill: #59636e }
    .card { fill: #ffffff; stroke: #d1d9e0 }
    .grid { stroke: #d1d9e0 }
    .other { fill: #afb8c1 }
    .ours { fill: #0969da }
    .line { fill: none; stroke-width: 2.5 }
    .line0 { stroke: #0969da } .line1 { stroke: #bc4c00 } .line2 { stroke: #1a7f37 } .line3 { stroke: #8250df }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .value { fill: #9198a1 }
      .card { fill: #151b23; stroke: #3d444d }
      .grid { stroke: #3d444d }
      .other { fill: #656c76 }
      .ours { fill: #4493f8 }
      .line0 { stroke: #4493f8 } .line1 { stroke: #f0883e } .line2 { stroke: #3fb950 } .line3 { stroke: #ab7df8 }
    }
  </style>
  <rect class="card" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
  <text class="title" x="20" y="32">${escaped(title)}</text>
  ${content}
</svg>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('`', '').replaceAll('"', '&quot;')
}

/** Three digits are as many as a measurement has. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '–'
  return Math.abs(value) >= 100
    ? Math.round(value).toLocaleString('en')
    : String(Number(value.toPrecision(value < 10 ? 2 : 3)))
}
