import { SqliteStore } from './sqlite-store.ts'

// A process that appends to several sessions as fast as it can and prints each acknowledged seq, until it is killed.
const [path = ''] = process.argv.slice(2)
const store = await SqliteStore.open({ path })

// It holds a lease for an hour.
await store.wake('held')
await store.claim(3_600_000, new AbortController().signal)

await Promise.all(
  ['a', 'b', 'c', 'd'].map(async (session) => {
    let head = (await store.read(session, 0)).at(-1)?.seq ?? 0
    for (let n = 0; ; n++) {
      head = await store.append(session, head, [{ n, filler: 'x'.repeat(200) }])
      process.stdout.write(`${session} ${head}\n`)
    }
  }),
)
