/** How long the first pause is at most, unless the server says otherwise. */
const firstMs = 500

/** No pause is longer, but for a server that asks for more. */
const longestMs = 30_000

/** What a server may ask for at most. */
const longestAskedMs = 300_000

/**
 * The pause before the next try: anything up to a time that doubles with every failure, so that many clients that were
 * cut off together do not come back together. What the agent asks for comes on top.
 *
 * @param failures how many tries in a row had failed before the last one
 * @param random a number in [0, 1)
 * @param askedMs how long the agent wants to be left alone
 * @param most the longest first pause
 */
export function pauseAfter(failures: number, random: number, askedMs = 0, most: number = firstMs): number {
  return Math.min(askedMs, longestAskedMs) + random * Math.min(Math.max(most, 1) * 2 ** failures, longestMs)
}
