import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

// Checks each package as it would be published; run it after the build.
const packages = fileURLToPath(new URL('../packages', import.meta.url))
let problems = 0

for (const name of readdirSync(packages)) {
  const { messages, pkg } = await publint({ pkgDir: join(packages, name), strict: true })
  for (const message of messages) {
    problems++
    console.error(`${name}: ${formatMessage(message, pkg) ?? message.code}`)
  }
}
console.log(problems === 0 ? 'publint: all well' : `publint: ${problems} problems`)
process.exitCode = problems === 0 ? 0 : 1
