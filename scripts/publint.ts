import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chatPageFiles } from '@cool-ai/beach-page'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

// Checks each package as it would be published: what its manifest says, and that each of its entry points can be imported
// and exports what its source does, and that the chat page is whole. Run it after the build.
const packages = fileURLToPath(new URL('../packages', import.meta.url))
const entryPoints = fileURLToPath(new URL('entry-points.ts', import.meta.url))
let problems = 0

function exportedNames(...flags: string[]): string[] {
  return execFileSync(process.execPath, [...flags, entryPoints], { encoding: 'utf8' }).split('\n')
}

for (const name of readdirSync(packages)) {
  const { messages, pkg } = await publint({ pkgDir: join(packages, name), strict: true })
  for (const message of messages) {
    problems++
    console.error(`${name}: ${formatMessage(message, pkg) ?? message.code}`)
  }
}
const built = new Set(exportedNames())
for (const line of exportedNames('--conditions=@cool-ai/source')) {
  if (built.has(line)) continue
  problems++
  console.error(`The built file does not export what its source does: ${line}`)
}
const page = await chatPageFiles()
const linked = String(page.get('/index.html') ?? '').matchAll(/(?:src|href)="\.(\/[^"]+)"/g)
const missing = ['/index.html', ...[...linked].map(([, path = '']) => path)].filter((path) => !page.has(path))
for (const path of missing) {
  problems++
  console.error(`The built chat page has no ${path}.`)
}
console.log(problems === 0 ? 'publint: all well' : `publint: ${problems} problems`)
process.exitCode = problems === 0 ? 0 : 1
