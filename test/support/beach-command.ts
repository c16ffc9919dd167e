import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Finished {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A process of the `beach` command. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams
  readonly done: Promise<Finished>
  /** Resolves with the output so far once it matches, and fails when the process ends before. */
  readonly said: (pattern: RegExp) => Promise<RegExpExecArray>
}

interface How {
  readonly cwd: string
  readonly input?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The program, as a path from the root of the repository; `beach` if left out. */
  readonly bin?: string
}

/** Starts the real command. */
export function startBeach(
  args: readonly string[],
  { cwd, input, env, bin = 'packages/beach/src/command/beach.ts' }: How,
): Running {
  const child = spawn(process.execPath, ['--conditions=@cool-ai/source', join(root, bin), ...args], {
    cwd,
    env: { ...process.env, PORT: undefined, ...env },
  })
  let [out, err] = ['', '']
  const listeners = new Set<() => void>()
  const onOutput = () => listeners.forEach((listener) => listener())
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
    onOutput()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString()
    onOutput()
  })
  if (input !== undefined) child.stdin.end(input)
  const done = new Promise<Finished>((resolve) => child.once('close', (code) => resolve({ code, out, err })))
  const said = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(out) ?? pattern.exec(err)
        if (found === null) return
        listeners.delete(look)
        resolve(found)
      }
      listeners.add(look)
      look()
      void done.then(({ code }) => reject(new Error(`beach ended with ${code}, without ${pattern}: ${out}${err}`)))
    })
  return { child, done, said }
}

/** Runs the real command to its end. */
export async function runBeach(args: readonly string[], how: How): Promise<Finished> {
  return startBeach(args, { input: '', ...how }).done
}

/** A folder in which our packages can be imported, with these files. */
export function scratchProject(files: Readonly<Record<string, string>> = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'beach-command-')))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return {
    folder,
    write: (name: string, text: string) => writeFileSync(join(folder, name), text),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
