let format: Intl.DateTimeFormat | undefined

/** A time, ISO or in milliseconds, as people write it. The time zone of its reader is not known. */
export function momentText(time: string | number): string {
  // Created on first use: it loads the language's data, which takes 8 MB of memory.
  format ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  return `${format.format(new Date(time))} UTC`
}
