/** An event of a slice by its name and, where it is about a flow, by which one, and what has become of it. */
export function sliceTitle(ns: string, name: string, payload: unknown): string {
  const { value, part } = Object(payload) as { value?: unknown; part?: { readonly data?: unknown } }
  const { prepared } = Object(value) as { prepared?: unknown }
  const { intentId, state, toState, reason } = Object(prepared ?? part?.data) as Readonly<Record<string, unknown>>
  const about = [intentId, state, toState, reason].filter((one) => typeof one === 'string')
  return [`${ns}.${name}`, ...about].join(' · ')
}
