import { execFile } from 'node:child_process'
import { existsSync, lstatSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { lastingFolder } from './memory-folder.ts'

const run = promisify(execFile)
const noVariables: Readonly<Record<string, string>> = {}

/** A browser that tests can start, or the sentence that says why there is none. */
export type Chromium =
  | { readonly path: string; readonly variables: Readonly<Record<string, string>> }
  | { readonly problem: string }

/** Finds a Chromium: the one that `CHROMIUM_PATH` names, the one in our npm packages (Linux), or an installed one. */
export async function prepareChromium(): Promise<Chromium> {
  const named = process.env.CHROMIUM_PATH
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return { path: named, variables: noVariables }
    return { problem: `CHROMIUM_PATH names ${named}, but there is no such file.` }
  }
  let reason = `the packaged one is for Linux on x64, and this is ${process.platform} on ${process.arch}`
  if (process.platform === 'linux' && process.arch === 'x64') {
    try {
      return await packagedChromium()
    } catch (error) {
      reason = `the packaged one does not run here (${error instanceof Error ? error.message : String(error)})`
    }
  }
  const installed = installedChromium()
  if (installed !== undefined) return { path: installed, variables: noVariables }
  return {
    problem:
      `No Chromium for the browser tests: ${reason}. ` +
      'Install Chromium or Chrome, or set CHROMIUM_PATH to the program.',
  }
}

/** The packaged Chromium, unpacked once for each user and version. Runs that start at once do not disturb each other. */
async function packagedChromium(): Promise<Chromium> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium')
  const manifest = new URL('../package.json', pathToFileURL(entry))
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  const uid = process.getuid?.() ?? 0
  const folder = join(lastingFolder(), `beach-chromium-${version}-${uid}`)
  const chromium = inFolder(folder)
  if (isOurs(folder, uid)) {
    try {
      await tryOut(chromium)
      return chromium
    } catch {
      // Parts of it are gone, as when the system tidies its temporary files.
      park(folder)
    }
  }
  const draft = mkdtempSync(`${folder}-`)
  try {
    const unpack = fileURLToPath(new URL('unpack-chromium.ts', import.meta.url))
    await run(process.execPath, [unpack], { env: { ...process.env, TMPDIR: draft } })
    writeFileSync(join(draft, 'fonts', 'fonts.conf'), fontConfiguration(folder))
    await tryOut(inFolder(draft))
    renameSync(draft, folder)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    // Another run may have been faster; its copy is as good.
    if (!isOurs(folder, uid)) throw error
  }
  await tryOut(chromium)
  return chromium
}

function inFolder(folder: string) {
  const libraries = [join(folder, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter)
  return {
    path: join(folder, 'chromium'),
    variables: { LD_LIBRARY_PATH: libraries, FONTCONFIG_PATH: join(folder, 'fonts') },
  }
}

/** True when the folder is there. One of another user is refused: we are going to run what is in it. */
function isOurs(folder: string, uid: number): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found === undefined) return false
  if (found.isDirectory() && found.uid === uid) return true
  throw new Error(`${folder} belongs to another user`)
}

function park(folder: string): void {
  const aside = mkdtempSync(`${folder}-old-`)
  try {
    renameSync(folder, join(aside, 'chromium'))
  } catch (error) {
    // Another run has just done it.
    if (existsSync(folder)) throw error
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

/** Asks for the version, which needs the program and all its libraries. */
async function tryOut({ path, variables }: ReturnType<typeof inFolder>): Promise<void> {
  await run(path, ['--version'], { env: { ...process.env, ...variables }, timeout: 30_000 })
}

/** The package's own configuration expects the fonts in one fixed place. */
function fontConfiguration(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`
}

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const places = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]

function installedChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const candidates = [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...places]
  return candidates.find((path) => existsSync(path))
}
