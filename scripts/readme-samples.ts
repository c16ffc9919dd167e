/**
 * Compiles the samples of the READMEs and of `docs/` as a user would: against the built declarations, with the compiler's
 * settings of this repository. The last step of `npm run check`, which builds the declarations first.
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { samplesIn } from './docs/samples.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'node_modules/.cache/readme-samples')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const readmes = ['README.md', ...globSync('packages/*/README.md', { cwd: root })]
/** Their samples are files of `examples/`, word for word, as tests check. */
const ofExamples = ['docs/catalogs.md', 'docs/peers.md']
const pages = globSync('docs/**/*.md', { cwd: root, exclude: ['docs/decisions/**', ...ofExamples] })
for (const page of [...readmes, ...pages]) {
  const samples = samplesIn(join(root, page), ['ts', 'tsx'])
  if (samples.length === 0 && readmes.includes(page)) {
    throw new Error(`${page} has no sample: add one in a block of TypeScript.`)
  }
  for (const { language, name, code, line } of samples) {
    const place = page.replaceAll(/[/.]/g, '-')
    const file = join(folder, name === undefined ? `${place}-${line}.${language}` : `${place}/${name}`)
    mkdirSync(dirname(file), { recursive: true })
    // A sample may be statements alone.
    writeFileSync(file, /^(import|export) /m.test(code) ? code : `${code}\nexport {}\n`)
  }
}
const config = {
  extends: '../../../tsconfig.json',
  compilerOptions: { customConditions: [], jsxImportSource: 'react' },
  files: ['context', 'config'].map((name) => `../../../test/types/samples/${name}.d.ts`),
  include: ['**/*.ts', '**/*.tsx'],
  exclude: [],
}
writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const { status } = spawnSync(process.execPath, [tsc, '-p', folder], { stdio: 'inherit' })
process.exitCode = status ?? 1
