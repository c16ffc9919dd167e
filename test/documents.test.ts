import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const made = new Set(['node_modules', 'dist', 'build'])
const documents = globSync('**/*.md', { cwd: root, exclude: (name) => made.has(name) })

/** Links of a document, and the pictures in its HTML. */
function linksOf(file: string): string[] {
  const prose = read(file).replaceAll(/^```[\s\S]*?^```/gm, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)].map(([, link, html]) => link ?? html ?? '')
}

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(file: string): string[] {
  return [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('every test that a document names is there', () => {
  const tests = globSync('{packages,examples,test}/**/*.test.ts', {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name === 'dist',
  })
  const named = documents.flatMap((file) =>
    [...read(file).matchAll(/`(?:\.\.\/)*([\w./-]+\.test\.ts)`/g)].map(([, name = '']) => ({ file, name })),
  )
  expect(named.filter(({ name }) => !tests.some((path) => `/${path}`.endsWith(`/${name}`)))).toEqual([])
  expect(named.length).toBeGreaterThan(50)
})

test('every relative link of a document leads to a file, and to a heading of it', () => {
  const links = documents.flatMap((file) => linksOf(file).map((link) => ({ file, link })))
  const broken = links.filter(({ file, link }) => {
    if (/^[a-z]+:/.test(link)) return false
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? file : join(dirname(file), path)
    return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor))
  })
  expect(broken).toEqual([])
  expect(links.length).toBeGreaterThan(300)
})

test('the glossary has at most 25 terms, and no package gives one of them another meaning', () => {
  const termsOf = (file: string) => {
    const [, table = ''] = /^\| term \| meaning \|\n\|---\|---\|\n((?:\|.*\n?)+)/m.exec(read(file)) ?? []
    return [...table.matchAll(/^\| ([^|]+?) \|/gm)].map(([, term = '']) => term)
  }
  const terms = termsOf('GLOSSARY.md')
  expect(terms.length).toBeGreaterThan(15)
  expect(terms.length).toBeLessThanOrEqual(25)
  const own = globSync('packages/*/README.md', { cwd: root }).flatMap((file) => termsOf(file))
  expect(own.length).toBeGreaterThan(50)
  expect(own.filter((term) => terms.includes(term))).toEqual([])
})
