import { simulatedRuntime } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { AgentError, unreachable } from './agent-error.ts'
import { keepConnected, type Connection } from './connection.ts'
import { backoffOf } from './pauses.ts'
import { part, testCarrier, testPlatform, type TestPlatform } from './test-context.test-helper.ts'

function connected(platform: TestPlatform = testPlatform()) {
  const { carrier, made } = testCarrier()
  const end = new AbortController()
  const states: Connection[] = []
  const cursors: string[] = []
  const ended = keepConnected({
    carrier,
    platform,
    pauses: backoffOf(platform),
    cursor: () => cursors.at(-1),
    onFrame: ({ cursor }) => cursors.push(cursor ?? ''),
    onConnection: (connection) => states.push(connection),
    signal: end.signal,
  })
  const last = () => {
    const found = made.at(-1)
    if (found === undefined) throw new Error('Nothing was tried.')
    return found
  }
  return { platform, clock: platform.clock, made, states, ended, last, close: () => end.abort() }
}

const lost = unreachable('Lost.')

describe('a connection', () => {
  test('is made, told of, and made again from where it broke', async () => {
    const { clock, made, states, last } = connected()
    last().events.opened('websocket', 15_000)
    last().events.frame(part('5'))
    last().end(lost)
    await clock.advance(500)
    expect(made.map(({ after }) => after)).toEqual([undefined, '5'])
    expect(made[0]?.signal.aborted, 'nothing is left of the first').toBe(true)
    expect(states).toEqual([
      { state: 'connecting' },
      { state: 'open', via: 'websocket' },
      { state: 'waiting', retryAt: clock.now(), error: lost },
      { state: 'connecting', error: lost },
    ])
  })

  test('that the agent has ended is made again too', async () => {
    const { clock, made, last } = connected()
    last().events.opened('sse', 15_000)
    last().end()
    await clock.advance(500)
    expect(made).toHaveLength(2)
  })

  test('is tried after pauses that double, up to half a minute', async () => {
    const { clock, made, states, last } = connected()
    const pauses: number[] = []
    for (let count = 0; count < 9; count++) {
      last().end(lost)
      await clock.advance(0)
      const { retryAt = 0 } = states.at(-1) ?? {}
      pauses.push(retryAt - clock.now())
      await clock.advance(retryAt - clock.now() - 1)
      expect(made).toHaveLength(count + 1)
      await clock.advance(1)
      expect(made).toHaveLength(count + 2)
    }
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  })

  test('that comes and goes at once does not make the pauses short again; one that lasted does', async () => {
    const { clock, states, last } = connected()
    const backoffDelay = async (openMs: number) => {
      last().events.opened('sse', 15_000)
      await clock.advance(openMs)
      last().end(lost)
      await clock.advance(0)
      const pause = (states.at(-1)?.retryAt ?? 0) - clock.now()
      await clock.advance(pause)
      return pause
    }
    const pauses = []
    for (const openMs of [0, 10, 4_999, 5_000, 0]) pauses.push(await backoffDelay(openMs))
    expect(pauses).toEqual([500, 1_000, 2_000, 500, 1_000])
  })

  test('of many clients that were cut off together is not tried by all at once', async () => {
    const runtime = simulatedRuntime({ seed: 3 })
    const retries = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const { clock, states, last, close } = connected(testPlatform(() => runtime.random()))
        last().end(lost)
        await clock.advance(0)
        close()
        return (states.at(-1)?.retryAt ?? 0) - clock.now()
      }),
    )
    expect(new Set(retries).size).toBe(50)
    expect(Math.max(...retries)).toBeLessThanOrEqual(500)
  })

  test('takes the first pause from the agent, and waits for as long as the agent asks', async () => {
    const { clock, states, last } = connected()
    last().events.retry(4_000)
    last().end(lost)
    await clock.advance(0)
    expect(states.at(-1)?.retryAt).toBe(clock.now() + 4_000)
    await clock.advance(4_000)
    last().end(new AgentError('STORE_BUSY', 'Busy.', { status: 503, retryAfterMs: 20_000 }))
    await clock.advance(0)
    expect(states.at(-1)?.retryAt).toBe(clock.now() + 20_000 + 1_000)
  })

  test.each([401, 403, 404, 410, 400, 421])('that is refused with %i is not tried again', async (status) => {
    const { made, ended, last } = connected()
    const refusal = new AgentError('NOT_FOUND', 'No.', { status })
    last().end(refusal)
    expect(await ended).toBe(refusal)
    expect(made).toHaveLength(1)
  })

  test.each([408, 425, 429, 500, 502, 503])('that fails with %i is tried again', async (status) => {
    const { clock, made, last } = connected()
    last().end(new AgentError('TOO_MANY', 'Later.', { status }))
    await clock.advance(500)
    expect(made).toHaveLength(2)
  })

  test('ends when it is told to, wherever it stands', async () => {
    for (const stage of ['connecting', 'open', 'waiting']) {
      const { clock, made, ended, last, close } = connected()
      if (stage !== 'connecting') last().events.opened('sse', 15_000)
      if (stage === 'waiting') last().end(lost)
      await clock.advance(0)
      close()
      expect(await ended).toBeUndefined()
      await clock.advance(100_000)
      expect(made).toHaveLength(1)
      expect(clock.next(), 'no timer is left').toBeUndefined()
    }
  })
})

describe('silence', () => {
  test('for two and a half heartbeats is a connection that is dead', async () => {
    const { clock, made, states, last } = connected()
    last().events.opened('sse', 15_000)
    for (let count = 0; count < 10; count++) {
      await clock.advance(15_000)
      last().events.activity()
    }
    await clock.advance(37_499)
    expect(last().signal.aborted).toBe(false)
    await clock.advance(1)
    expect(made[0]?.signal.aborted).toBe(true)
    expect(states.at(-1)).toMatchObject({ state: 'waiting', error: { code: 'UNREACHABLE' } })
    await clock.advance(500)
    expect(made).toHaveLength(2)
  })

  test('is measured by the heartbeat that the agent names', async () => {
    const { clock, last } = connected()
    last().events.opened('websocket', 60_000)
    await clock.advance(149_999)
    expect(last().signal.aborted).toBe(false)
    await clock.advance(1)
    expect(last().signal.aborted).toBe(true)
  })

  test('is noticed though the clock was set back', async () => {
    const { clock, last } = connected()
    last().events.opened('sse', 15_000)
    clock.asleepMs = -3_600_000
    await clock.advance(37_500)
    expect(last().signal.aborted).toBe(true)
  })

  test('instead of an answer ends the try', async () => {
    const { clock, made, states } = connected()
    await clock.advance(15_000)
    expect(made[0]?.signal.aborted).toBe(true)
    expect(states.at(-1)).toMatchObject({ state: 'waiting' })
  })
})

describe('the platform', () => {
  test('that has no network is told of; the connection is tried all the same, and at once when it is back', async () => {
    const { platform, clock, made, states, last } = connected()
    platform.network = false
    last().end(lost)
    await clock.advance(0)
    expect(states.at(-1)).toMatchObject({ state: 'offline', retryAt: clock.now() + 500 })
    await clock.advance(500)
    last().end(lost)
    await clock.advance(10)
    platform.network = true
    platform.received.online()
    await clock.advance(0)
    expect(made).toHaveLength(3)
  })

  test('that changed its network leaves a connection that has been silent since, and no other', async () => {
    const { platform, clock, made, last } = connected()
    last().events.opened('sse', 15_000)
    platform.received.offline()
    await clock.advance(1_000)
    last().events.activity()
    platform.received.online()
    expect(last().signal.aborted).toBe(false)
    await clock.advance(1)
    platform.received.offline()
    platform.received.online()
    expect(last().signal.aborted).toBe(true)
    await clock.advance(0)
    expect(made).toHaveLength(2)
  })

  test('that says that there is no network is believed until something comes', async () => {
    const { platform, clock, states, last } = connected()
    last().events.opened('sse', 15_000)
    platform.received.offline()
    expect(states.at(-1)).toMatchObject({ state: 'offline' })
    last().events.activity()
    expect(states.at(-1)).toMatchObject({ state: 'open', via: 'sse' })
    await clock.advance(1)
    platform.received.offline()
    await clock.advance(1)
    last().events.activity()
    const { length } = states
    platform.received.online()
    last().events.activity()
    expect(states.at(-1)).toMatchObject({ state: 'open' })
    expect(states).toHaveLength(length)
  })

  test('that wakes up looks at once whether the connection is dead, and does not wait to make it again', async () => {
    const { platform, clock, made, states, last } = connected()
    last().events.opened('sse', 15_000)
    platform.received.awake()
    expect(last().signal.aborted).toBe(false)
    // Time goes on while timers stand still.
    clock.asleepMs = 3_600_000
    platform.received.awake()
    expect(last().signal.aborted).toBe(true)
    await clock.advance(0)
    expect(made).toHaveLength(2)
    expect(states.at(-1)).toMatchObject({ state: 'connecting' })
    last().end(lost)
    await clock.advance(0)
    expect(states.at(-1)).toMatchObject({ state: 'waiting' })
    platform.received.awake()
    await clock.advance(0)
    expect(made).toHaveLength(3)
  })

  test('cannot cut short what the agent has asked for', async () => {
    const { platform, clock, made, last } = connected()
    last().end(new AgentError('TOO_MANY', 'Later.', { status: 429, retryAfterMs: 5_000 }))
    await clock.advance(0)
    platform.received.awake()
    platform.received.online()
    await clock.advance(4_999)
    expect(made).toHaveLength(1)
    await clock.advance(501)
    expect(made).toHaveLength(2)
  })
})
