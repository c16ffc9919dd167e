import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from '../release/workspaces.ts'
import { generatedPages } from './generated-pages.ts'
import { withLinks } from './links.ts'
import { navigation } from './navigation.ts'

/** A page of the site: where it stands there without the ending, its title, and its Markdown. */
export interface Page {
  readonly place: string
  readonly title: string
  readonly text: string
  /** The file of the repository that it is made of, if it is made of one. */
  readonly source?: string
}

/** Where a reader finds what is no page. */
export const repository = 'https://github.com/cool-ai/beach/blob/main/'

/**
 * All pages of the documentation: those of `docs/`, the documents at the root, the READMEs of the packages, and what is
 * generated from sources. Links between them lead to each other, those to other files to the repository; a link that leads
 * nowhere is an error.
 */
export async function assembledPages(): Promise<Page[]> {
  const generated = await generatedPages()
  const documents = [
    ...globSync('docs/**/*.md', { cwd: root }).map((path) => [path, placeInDocs(path)] as const),
    ...['ARCHITECTURE', 'GLOSSARY', 'CONTRIBUTING', 'CHANGELOG', 'SECURITY'].map(
      (name) => [`${name}.md`, name.toLowerCase()] as const,
    ),
    ...globSync('packages/*/README.md', { cwd: root }).map((path) => [path, dirname(path)] as const),
  ].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const places = new Map<string, string>([...documents, ['README.md', 'index']])
  for (const place of generated.keys()) places.set(`docs/${place}.md`, place)
  const broken: string[] = []
  const pages = [
    ...documents.map(([path, place]) => page(place, relinked(path, places, broken), path)),
    ...[...generated].map(([place, text]) => page(place, text)),
  ]
  if (broken.length > 0) throw new Error(`These links lead nowhere:\n${broken.join('\n')}`)
  return pages
}

/** Writes the pages into a folder. */
export function writePages(pages: readonly Page[], folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  for (const { place, text } of pages) {
    const path = join(folder, `${place}.md`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

/** The navigation of these pages: its groups, then what no group names, the packages and the decisions. */
export function groupsOf(pages: readonly Page[]): { title: string; pages: Page[] }[] {
  const byPlace = new Map(pages.map((one) => [one.place, one]))
  const named = navigation.map(({ title, pages: places }) => {
    return { title, pages: places.flatMap((place) => byPlace.get(place) ?? []) }
  })
  const listed = new Set(named.flatMap((group) => group.pages.map(({ place }) => place)))
  const others = pages.filter(({ place }) => !listed.has(place) && place !== 'index')
  const inFolder = (folder: string) => others.filter(({ place }) => place.startsWith(folder))
  const more = others.filter(({ place }) => !/^(packages|decisions|reference)\//.test(place))
  return [
    ...named,
    { title: 'More', pages: more },
    { title: 'Exports', pages: inFolder('reference/') },
    { title: 'Packages', pages: inFolder('packages/') },
    { title: 'Decisions', pages: inFolder('decisions/') },
  ].filter((group) => group.pages.length > 0)
}

function placeInDocs(path: string): string {
  return path.slice('docs/'.length, -'.md'.length).replace(/README$/, 'index')
}

function page(place: string, text: string, source?: string): Page {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? /^title: (.+)$/m.exec(text)?.[1] ?? place
  return { place, title: title.replaceAll('`', ''), text, ...(source !== undefined && { source }) }
}

/** The text of a document with links that hold on the site. */
function relinked(path: string, places: ReadonlyMap<string, string>, broken: string[]): string {
  const own = places.get(path) ?? ''
  const to = (link: string): string => {
    if (/^([a-z]+:|#)/.test(link)) return link
    const [file = '', anchor] = link.split('#')
    const target = join(dirname(path), file)
    const readme = existsSync(join(root, target, 'README.md')) ? join(target, 'README.md') : target
    const place = places.get(readme)
    const end = anchor === undefined ? '' : `#${anchor}`
    if (place !== undefined) return `${relative(dirname(own), place) || '.'}.md${end}`.replace(/^(?!\.)/, './')
    if (target.startsWith('docs/screenshots/')) return link
    if (!existsSync(join(root, target))) broken.push(`${path}: ${link}`)
    return `${repository}${target}${end}`
  }
  return withLinks(readFileSync(join(root, path), 'utf8'), to)
}
