export interface ReadableOptions {
  /** For numbers, dates and plurals, such as `de-AT`; `en-US` when left out. */
  readonly locale?: string
}

const usual = 'en-US'

/** A locale that can be used. */
export function localeOf({ locale = usual }: ReadableOptions): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? usual
  } catch {
    return usual
  }
}
