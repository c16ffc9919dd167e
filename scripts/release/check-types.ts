import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, type Workspace } from './workspaces.ts'

const compilers = { '5.9': 'typescript-5', '7': 'typescript' }
const algorithms = [
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler' },
]

/** Compiles a program in the project that imports every entry point, as users do, with the declarations of all libraries checked. */
export function checkTypes(project: string, packages: readonly Workspace[]): void {
  const entryPoints = packages.flatMap(({ manifest: { name, exports = {} } }) => {
    return Object.entries(exports).flatMap(([path, target]) => {
      return typeof target !== 'string' && target.types !== undefined ? [join(name, path)] : []
    })
  })
  const lines = entryPoints.map((path, index) => `import * as entry${index} from '${path}'`)
  const used = entryPoints.map((_, index) => `entry${index}`)
  writeFileSync(join(project, 'every-entry-point.ts'), `${lines.join('\n')}\nconsole.log(${used.join(', ')})\n`)
  for (const [release, name] of Object.entries(compilers)) {
    for (const algorithm of algorithms) {
      const compilerOptions = {
        ...algorithm,
        target: 'es2024',
        lib: ['es2024', 'dom', 'dom.iterable', 'esnext.disposable'],
        types: ['node'],
        strict: true,
        skipLibCheck: false,
        noEmit: true,
      }
      const config = join(project, 'tsconfig.every-entry-point.json')
      writeFileSync(config, JSON.stringify({ compilerOptions, files: ['every-entry-point.ts'] }))
      const tsc = join(root, 'node_modules', name, 'bin/tsc')
      const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', config], { cwd: project, encoding: 'utf8' })
      if (status === 0) continue
      throw new Error(`TypeScript ${release} with ${algorithm.moduleResolution} finds in the packed types:\n${stdout}`)
    }
  }
}
