import type { GrowthFigures, GrowthLine } from './figures.ts'
import { linePlot, shown } from './plots.ts'

/** How costs grow, as a table; sizes have one column. */
export function growthSection({ lines }: GrowthFigures): string {
  const growing = lines.filter(({ at }) => at.length > 1)
  const sizes = lines.filter(({ at }) => at.length === 1)
  return `## Growth

What a turn, a delta or a look costs where there is little, and where there is much. A ratio near 1 means that it does not grow.

![How costs grow, as multiples of the first](screenshots/performance-growth.svg)

| figure | from | to | ratio | goal |
| --- | --- | --- | --- | --- |
${growing.map(growingRow).join('\n')}

Files of SQLite are packed by \`VACUUM\` alone, which gives back what [retention](retention.md) and erasure have removed; the sizes say whether turns leave anything for it.

| size | | goal |
| --- | --- | --- |
${sizes.map(({ name, unit, at, goal = '' }) => `| ${name} | ${shown(at[0]?.value ?? Number.NaN)} ${unit} | ${goal} |`).join('\n')}`
}

/** The lines that grow, each as multiples of its first value. */
export function growthPlot({ lines }: GrowthFigures): string {
  const growing = lines.filter(({ at }) => at.length > 1)
  return linePlot(
    'How costs grow, as multiples of the first',
    'little',
    'much',
    growing.map(({ name, at }) => ({
      name,
      values: at.map(({ value }) => value / (at[0]?.value ?? Number.NaN)),
    })),
  )
}

function growingRow({ name, unit, at, goal = '' }: GrowthLine): string {
  const [first, last] = [at[0], at.at(-1)]
  if (first === undefined || last === undefined) return ''
  const cell = ({ where, value }: typeof first) => `${shown(value)} ${unit} (${where})`
  return `| ${name} | ${cell(first)} | ${cell(last)} | ${shown(last.value / first.value)} | ${goal} |`
}
