import { createServer } from 'node:net'
import { BeachError, systemRuntime } from '@cool-ai/beach-core'

/** Below the range from which systems give out ports by themselves. */
const low = { from: 12_000, to: 32_000 }

/** The first of some free ports in a row, for a server whose URL must be known before it listens. */
export async function freePort(count = 1, { from, to } = low): Promise<number> {
  const runtime = systemRuntime()
  for (let tries = 0; tries < 100; tries++) {
    const port = from + Math.floor(runtime.random() * (to - from - count))
    const ports = Array.from({ length: count }, (_, index) => port + index)
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return port
  }
  throw new BeachError('UNREACHABLE', `There is no free port between ${from} and ${to}.`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
