import { day } from '@cool-ai/beach-page/page/scene'
import type { Week } from './scene/week.ts'

/** A week by its days; those without anything are left out. */
export function WeekView({ week: { from, days } }: { readonly week: Week }) {
  return (
    <section class="card padded" role="group" aria-label={`Week of ${day(from)}`}>
      {days.length === 0 && <p class="minor">Nothing is planned in the week of {day(from)}.</p>}
      {days.map(({ date, entries }) => (
        <div key={date} class="day">
          <h3>{day(date)}</h3>
          <ul>
            {entries.map(({ time, title, source }) => (
              <li key={`${time} ${title}`}>
                <time>{time ?? ''}</time>
                <span>
                  {title} {source !== undefined && <span class="minor">from {source}</span>}
                </span>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}
