import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { sep } from 'node:path'
import { sleep, systemClock } from '@cool-ai/beach-core'
import { terminal } from '../terminal.ts'

// An editor writes a file in several steps.
const restMs = 100
// Turns that run are handed over to the next process; one that does not end is stopped by a second signal.
const graceMs = 3_000
const ignored = /(?:^|[\\/])(?:node_modules|dist|\.[^\\/]*)(?:[\\/]|$)|\.(?:log|db|db-wal|db-shm|jsonl)$|~$/

/** Runs the command in a process of its own, and starts it anew whenever a file changes, until a signal ends both. */
export async function watchAndRestart(args: readonly string[]): Promise<void> {
  const ending = new AbortController()
  const changes = new Changes()
  const watcher = watch('.', { recursive: true }, (_, name) => {
    if (name !== null && !ignored.test(name.replaceAll('/', sep))) changes.note(name)
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())
  ending.signal.addEventListener('abort', () => changes.note(''), { once: true })
  while (!ending.signal.aborted) {
    const child = start(args)
    const changed = await changes.next()
    await stop(child)
    if (!ending.signal.aborted) terminal.note(terminal.dim(`${changed} has changed: starting again.`))
  }
  watcher.close()
}

function start(args: readonly string[]): ChildProcess {
  const [, program = ''] = process.argv
  const child = spawn(process.execPath, [...process.execArgv, program, ...args], {
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: process.env.NODE_ENV ?? 'development' },
  })
  child.once('exit', (code) => {
    if (code !== null && code !== 0) terminal.note('The agent has ended. It is started again when a file changes.')
  })
  return child
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const isOver = new AbortController()
  void sleep(systemClock, graceMs, isOver.signal).then(
    () => child.kill('SIGINT'),
    () => undefined,
  )
  await ended
  isOver.abort()
}

/** Files that have changed; those of one moment count as one change. */
class Changes {
  #noted: string | undefined
  #wake = () => {}

  note(name: string): void {
    this.#noted ??= name
    this.#wake()
  }

  async next(): Promise<string> {
    if (this.#noted === undefined) await new Promise<void>((resolve) => (this.#wake = resolve))
    await sleep(systemClock, restMs)
    const name = this.#noted ?? ''
    this.#noted = undefined
    return name
  }
}
