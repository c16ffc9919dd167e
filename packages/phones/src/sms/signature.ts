import { createHmac, timingSafeEqual } from 'node:crypto'

/** Whether one of the tokens has signed a form that was sent to this address. */
export function isSignedForm(
  url: string,
  fields: Readonly<Record<string, string>>,
  header: string | null,
  authTokens: readonly string[],
): boolean {
  const given = Buffer.from(header ?? '')
  const text =
    url +
    Object.keys(fields)
      .toSorted()
      .map((name) => name + (fields[name] ?? ''))
      .join('')
  // All are compared, so that the time it takes says nothing of which one it was.
  const matches = authTokens.filter((token) => {
    const expected = Buffer.from(createHmac('sha1', token).update(text).digest('base64'))
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  return matches.length > 0
}
