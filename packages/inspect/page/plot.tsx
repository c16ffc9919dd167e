import { shortTime } from './format.ts'

interface Series {
  readonly name: string
  readonly tone?: 'plain' | 'bad' | 'warn'
  readonly values: readonly (number | undefined)[]
}

interface PlotProps {
  readonly title: string
  readonly total?: string
  readonly times: readonly number[]
  readonly series: readonly Series[]
  readonly format: (value: number) => string
  /** Bars on top of each other, in place of lines. */
  readonly bars?: boolean
}

const [width, height] = [600, 120]
const maxBar = 60

/** A plot over time, drawn in the page itself. */
export function Plot({ title, total, times, series, format, bars = false }: PlotProps) {
  const sums = times.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0))
  const highest = bars ? sums : series.flatMap(({ values }) => values.map((value) => value ?? 0))
  const top = Math.max(0, ...highest)
  const hasValues = series.some(({ values }) => values.some((value) => value !== undefined))
  const [first, last] = [times[0], times.at(-1)]
  const label = `${title}: ${top === 0 ? 'nothing in this time' : `at most ${format(top)}`}`
  return (
    <figure class="plot">
      <figcaption>
        <strong>{title}</strong> {total !== undefined && <span class="muted">{total} in all</span>}
        <span class="legend">
          {series.length > 1 &&
            series.map(({ name, tone = 'plain' }) => (
              <span key={name} class={`key ${tone}`}>
                {name}
              </span>
            ))}
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <line x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} class="axis" />
        {top > 0 &&
          (bars ? (
            <Bars series={series} count={times.length} top={top} />
          ) : (
            series.map((one) => <Line key={one.name} series={one} top={top} />)
          ))}
      </svg>
      <div class="scale muted">
        <span>{first === undefined ? '' : shortTime(first)}</span>
        <span>{top > 0 ? `highest ${format(top)}` : hasValues ? format(0) : ''}</span>
        <span>{last === undefined || last === first ? '' : shortTime(last)}</span>
      </div>
    </figure>
  )
}

function Bars({
  series,
  count,
  top,
}: {
  readonly series: readonly Series[]
  readonly count: number
  readonly top: number
}) {
  const step = width / Math.max(1, count)
  const size = Math.min(Math.max(1, step - 1), maxBar)
  return (
    <>
      {Array.from({ length: count }, (_, index) => {
        let below = 0
        return series.map(({ name, tone = 'plain', values }) => {
          const tall = ((values[index] ?? 0) / top) * (height - 6)
          below += tall
          return tall === 0 ? null : (
            <rect
              key={`${name}${index}`}
              class={tone}
              x={(index + 0.5) * step - size / 2}
              width={size}
              y={height - below}
              height={tall}
            />
          )
        })
      })}
    </>
  )
}

function Line({ series: { tone = 'plain', values }, top }: { readonly series: Series; readonly top: number }) {
  // In the middle of where bars are, so that plots of the same times can be compared.
  const step = width / Math.max(1, values.length)
  const points = values.flatMap((value, index) =>
    value === undefined ? [] : [{ x: (index + 0.5) * step, y: height - (value / top) * (height - 6) - 2 }],
  )
  return (
    <g class={tone}>
      <polyline fill="none" points={points.map(({ x, y }) => `${x},${y}`).join(' ')} />
      {points.map(({ x, y }) => (
        <path key={x} d={`M${x},${y}h0`} />
      ))}
    </g>
  )
}
