import { simulatedRuntime, SimulatedClock, type Frame } from '@cool-ai/beach-core'
import type { CarrierEvents } from './connection.ts'
import type { PlatformEvents, Platform } from './platform.ts'

/** A clock that goes on while its timers stand still, as when the machine sleeps. */
class SleepyClock extends SimulatedClock {
  asleepMs = 0

  override now(): number {
    return super.now() + this.asleepMs
  }
}

/** A platform of which tests decide everything. */
export interface TestPlatform extends Platform {
  readonly clock: SleepyClock
  network: boolean
  readonly received: PlatformEvents
}

/** Every pause is as long as it can be, unless `random` says otherwise. */
export function testPlatform(random: () => number = () => 1): TestPlatform {
  const runtime = simulatedRuntime()
  const listeners = new Set<PlatformEvents>()
  const all = (name: keyof PlatformEvents) => () => {
    for (const listener of listeners) listener[name]()
  }
  const platform: TestPlatform = {
    clock: new SleepyClock(),
    random,
    key: () => runtime.id('key'),
    network: true,
    online: () => platform.network,
    listen(received) {
      listeners.add(received)
      return () => listeners.delete(received)
    },
    received: { offline: all('offline'), online: all('online'), awake: all('awake') },
  }
  return platform
}

/** One connection that a test holds in its hands. */
export interface TestCarrier {
  readonly after: string | undefined
  readonly events: CarrierEvents
  readonly signal: AbortSignal
  /** Ends it: broken with an error, orderly without. */
  readonly end: (error?: Error) => void
}

/** A carrier whose connections are all given to the test. */
export function testCarrier() {
  const made: TestCarrier[] = []
  const carrier = (after: string | undefined, events: CarrierEvents, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
      made.push({ after, events, signal, end: (error) => (error === undefined ? resolve() : reject(error)) })
    })
  return { carrier, made }
}

export function part(cursor: string, text = 'x'): Frame {
  const metadata = { partType: 'response' }
  return { kind: 'part', cursor, role: 'agent', partId: `turn_1.0.${cursor}`, part: { text, metadata }, at: 0 }
}
