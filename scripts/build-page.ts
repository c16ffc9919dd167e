import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chatPageFiles } from '@cool-ai/beach-page'

// The chat page as the published package serves it; run it after the types were built.
const folder = fileURLToPath(new URL('../packages/page/dist/page', import.meta.url))
rmSync(folder, { recursive: true, force: true })
for (const [path, content] of await chatPageFiles()) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), content)
}
