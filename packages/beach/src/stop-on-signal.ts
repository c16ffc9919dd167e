import { constants } from 'node:os'
import { systemClock } from '@cool-ai/beach-core'
import { elapsed } from '@cool-ai/beach-core/runtime'

const signals = ['SIGTERM', 'SIGINT'] as const
const stops = new Set<() => Promise<void>>()
let isStopping = false
let first: { readonly signal: NodeJS.Signals; readonly at: number } | undefined
// Ctrl-C in a terminal goes to all processes of a command, and npm passes it on as well: it arrives twice.
const sameSignalMs = 1_000

/**
 * Stops something gracefully when the process is asked to end. All that is to be stopped shares one handler: the
 * process ends when the last is done, with 0 if all went well, and at once when it is asked a second time: by the other
 * signal, or by the same one a second later.
 */
export function stopOnSignal(stop: () => Promise<void>): () => void {
  if (stops.size === 0 && !isStopping) for (const signal of signals) process.on(signal, onSignal)
  stops.add(stop)
  return () => {
    stops.delete(stop)
    // While the process stops, a second signal must still arrive.
    if (stops.size === 0 && !isStopping) for (const signal of signals) process.off(signal, onSignal)
  }
}

function onSignal(signal: NodeJS.Signals): void {
  const at = elapsed(systemClock)
  const isEcho = first?.signal === signal && at - first.at < sameSignalMs
  if (isEcho) return
  if (isStopping) process.exit(128 + constants.signals[signal])
  first = { signal, at }
  isStopping = true
  void stopAll().then((code) => process.exit(code))
}

async function stopAll(): Promise<number> {
  const outcomes = await Promise.allSettled([...stops].map((stop) => stop()))
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected')
  for (const { reason } of failures) console.error(reason)
  return failures.length === 0 ? 0 : 1
}
