import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chatElementFiles, chatPageFiles, type PageFiles } from '@cool-ai/beach-page'

// The chat page and `<beach-chat>` as the published package serves it; run it after the types were built.
write('page', await chatPageFiles())
write('element', await chatElementFiles())

function write(name: string, files: PageFiles): void {
  const folder = fileURLToPath(new URL(`../packages/page/dist/${name}`, import.meta.url))
  rmSync(folder, { recursive: true, force: true })
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}
