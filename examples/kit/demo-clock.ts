import { BeachError, systemClock, type Clock } from '@cool-ai/beach-core'

/**
 * The clock by which a demo knows what day it is: the machine's, or one that starts on the day that `DEMO_TODAY` names,
 * so that a demo or a test can be repeated. Only the examples' own dates follow it, no lease and no signature does.
 */
export function demoClock(variables: Readonly<Record<string, string | undefined>>, clock: Clock = systemClock): Clock {
  const day = variables.DEMO_TODAY
  if (!day) return clock
  const start = Date.parse(`${day}T12:00:00Z`)
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== day) {
    throw new BeachError('INVALID_CONFIGURATION', `DEMO_TODAY must be a day such as 2026-06-06, not '${day}'.`)
  }
  const ahead = start - clock.now()
  return {
    now: () => clock.now() + ahead,
    timer: (ms, run) => clock.timer(ms, run),
    ...(clock.elapsed && { elapsed: () => clock.elapsed?.() ?? 0 }),
  }
}

/** The day that it is on this machine, as `2026-08-15`. */
export function todayOf(clock: Clock): string {
  const now = new Date(clock.now())
  const two = (number: number) => String(number).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}
