import { FileArtifactStore } from './file-artifact-store.ts'

/** A process that stores an artifact without end, and says so once the first bytes are on the disk. */
const store = await FileArtifactStore.open({ folder: process.argv[2] ?? '' })

async function* endless(): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(100_000)
  console.log('writing')
  await new Promise((resolve) => process.stdin.once('end', resolve).resume())
}

await store.put(endless(), { name: 'endless.txt', mimeType: 'text/plain', tenant: 'acme' })
