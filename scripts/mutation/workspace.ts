import { cpSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative, sep } from 'node:path'

const copied = [
  'packages',
  'docs',
  'examples',
  'test',
  'package.json',
  'tsconfig.base.json',
  'tsconfig.json',
  'vitest.config.ts',
]
const left = new Set(['node_modules', 'dist', 'screenshots'])

/** A copy of the repository to change things in: the working tree is never touched. */
export class Workspace {
  readonly folder: string

  constructor(root: string) {
    this.folder = mkdtempSync(join(tmpdir(), 'beach-mutate-'))
    for (const name of copied) {
      cpSync(join(root, name), join(this.folder, name), {
        recursive: true,
        filter: (path) => !left.has(basename(path)),
      })
    }
    linkModules(root, this.folder, 'node_modules')
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** What was installed is linked to; our own packages are those of the copy. */
function linkModules(root: string, folder: string, path: string): void {
  mkdirSync(join(folder, path))
  for (const name of readdirSync(join(root, path))) {
    const [from, to] = [join(root, path, name), join(folder, path, name)]
    if (name.startsWith('@')) linkModules(root, folder, join(path, name))
    else if (name !== '.cache') symlinkSync(targetOf(root, folder, from), to)
  }
}

function targetOf(root: string, folder: string, module: string): string {
  if (!lstatSync(module).isSymbolicLink()) return module
  const place = relative(realpathSync(root), realpathSync(module))
  return place.startsWith(`packages${sep}`) || place.startsWith(`examples${sep}`) ? join(folder, place) : module
}
