import { freePort as portAmong } from '@cool-ai/beach-testing/free-port'

const [from, share] = [12_000, 2_500]

/** Of as many workers as there are shares, each has one: two that look at the same moment find no port twice. */
const worker = Number(process.env.VITEST_POOL_ID ?? 0) % 8

/** The first of some free ports in a row, for a server that is started on it, or again and again. */
export function freePort(count = 1): Promise<number> {
  return portAmong(count, { from: from + worker * share, to: from + (worker + 1) * share })
}
