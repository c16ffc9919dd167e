/**
 * Compiles the samples of the READMEs as a user would: against the built declarations, with the compiler's settings of this
 * repository. The last step of `npm run check`, which builds the declarations first.
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'node_modules/.cache/readme-samples')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

for (const readme of ['README.md', ...globSync('packages/*/README.md', { cwd: root })]) {
  const samples = [...readFileSync(join(root, readme), 'utf8').matchAll(/^```(tsx?)\n([\s\S]*?)^```/gm)]
  if (samples.length === 0) throw new Error(`${readme} has no sample: add one in a block of TypeScript.`)
  for (const [index, [, kind = '', code = '']] of samples.entries()) {
    writeFileSync(join(folder, `${readme.replaceAll(/[/.]/g, '-')}-${index}.${kind}`), code)
  }
}
const config = {
  extends: '../../../tsconfig.json',
  compilerOptions: { customConditions: [], jsxImportSource: 'react' },
  files: ['../../../test/types/samples/context.d.ts'],
  include: ['*.ts', '*.tsx'],
  exclude: [],
}
writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const { status } = spawnSync(process.execPath, [tsc, '-p', folder], { stdio: 'inherit' })
process.exitCode = status ?? 1
