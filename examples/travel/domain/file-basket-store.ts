import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BeachError, isBeachError } from '@cool-ai/beach-core'
import { basketSchema, emptyBasket, type Basket } from './basket.ts'
import type { BasketStore } from './basket-store.ts'

/** In lower case only, since some disks do not tell the cases apart; neither a dot nor a slash can lead elsewhere. */
const sessionId = /^[a-z][a-z0-9_]{0,99}$/

/**
 * Baskets as one JSON file per session in a folder. A basket is written beside the old one and takes its place by one
 * rename, so a crash leaves the one or the other. Only the host of a session changes its basket, so one process at a
 * time writes a file.
 */
export class FileBasketStore implements BasketStore {
  readonly #folder: string
  readonly #last = new Map<string, Promise<unknown>>()

  constructor(folder: string) {
    this.#folder = folder
  }

  load(session: string, signal?: AbortSignal): Promise<Basket> {
    return onDisk(signal, () => readBasket(this.#path(session), signal))
  }

  async update(session: string, change: (basket: Basket) => Basket, signal?: AbortSignal): Promise<Basket> {
    const path = this.#path(session)
    const before = this.#last.get(session) ?? Promise.resolve()
    const after = before.then(async () => {
      const basket = change(await onDisk(signal, () => readBasket(path, signal)))
      await onDisk(signal, () => this.#write(path, basket))
      return basket
    })
    const settled = after.catch(() => {})
    this.#last.set(session, settled)
    try {
      return await after
    } finally {
      if (this.#last.get(session) === settled) this.#last.delete(session)
    }
  }

  #path(session: string): string {
    if (sessionId.test(session)) return join(this.#folder, `basket-${session}.json`)
    throw new BeachError('BAD_REQUEST', 'This cannot be the id of a session.')
  }

  async #write(path: string, basket: Basket): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const draft = `${path}.${process.pid}.draft`
    try {
      const file = await open(draft, 'w', 0o600)
      try {
        await file.writeFile(JSON.stringify(basket))
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, path)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  }
}

async function readBasket(path: string, signal?: AbortSignal): Promise<Basket> {
  try {
    return basketSchema.parse(JSON.parse(await readFile(path, { encoding: 'utf8', signal })))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return emptyBasket
    throw error
  }
}

/** Runs something on the disk; what goes wrong there is said without its paths. */
async function onDisk<Value>(signal: AbortSignal | undefined, run: () => Promise<Value>): Promise<Value> {
  signal?.throwIfAborted()
  try {
    return await run()
  } catch (cause) {
    signal?.throwIfAborted()
    if (isBeachError(cause)) throw cause
    throw new BeachError('STORE_UNAVAILABLE', 'The basket of this session cannot be used right now.', { cause })
  }
}
