import { basename, join } from 'node:path'
import ts from 'typescript-5'
import { manifestsOf, type Workspace } from '../release/workspaces.ts'

/** A name that an entry point exports. */
interface Exported {
  readonly entryPoint: string
  /** The page of its package: the name of that package's folder. */
  readonly page: string
  /** The page that describes it: that of the package which declares it, where that package exports it too. */
  readonly home: string
  readonly name: string
  readonly sentence: string
  readonly declaration: string
  readonly isDeprecated: boolean
}

/** One page for each package, and one that lists them: every export with its sentence and declaration, read from the built types. */
export function referencePages(): Map<string, string> {
  const packages = manifestsOf('packages')
  const pages = new Map<string, string>()
  const all = exportsOf(packages)
  const silent = all.filter(({ sentence, isDeprecated }) => sentence === '' && !isDeprecated)
  if (silent.length > 0) {
    const names = silent.map(({ entryPoint, name }) => `${entryPoint}: ${name}`)
    throw new Error(`These exports have no sentence that says what they are:\n${names.join('\n')}`)
  }
  const list: string[] = []
  for (const { manifest, folder } of packages) {
    const name = basename(folder)
    const own = all.filter(({ page }) => page === name)
    if (own.length === 0) continue
    pages.set(`reference/${name}`, packagePage(manifest.name, own))
    list.push(
      `| [\`${manifest.name}\`](./${name}.md) | ${new Set(own.map((one) => one.name)).size} | ${manifest.description ?? ''} |`,
    )
  }
  const head = [
    '# Exports of the packages',
    '',
    'Made from the types that are published. Names that are deprecated are not listed.',
    '',
  ]
  pages.set('reference/api', [...head, '| package | exports | |', '|---|---|---|', ...list, ''].join('\n'))
  return pages
}

/** What the entry points of the packages export, by the types in `dist`. */
function exportsOf(packages: readonly Workspace[]): Exported[] {
  const files = packages.flatMap(({ manifest, folder }) =>
    Object.entries(manifest.exports ?? {}).flatMap(([path, target]) => {
      if (typeof target === 'string' || target.types === undefined) return []
      const page = basename(folder)
      return [{ entryPoint: join(manifest.name, path), page, file: join(folder, target.types) }]
    }),
  )
  const options = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    noLib: true,
    types: [],
  }
  const program = ts.createProgram(
    files.map(({ file }) => file),
    options,
  )
  const checker = program.getTypeChecker()
  const found = files.flatMap(({ entryPoint, page, file }) => {
    const source = program.getSourceFile(file)
    const symbol = source === undefined ? undefined : checker.getSymbolAtLocation(source)
    if (symbol === undefined) return []
    return checker.getExportsOfModule(symbol).map((one) => exported({ entryPoint, page }, one, checker))
  })
  const pagesWithName = new Set(found.map(({ page, name }) => `${page}: ${name}`))
  return found.map((one) => (pagesWithName.has(`${one.home}: ${one.name}`) ? one : { ...one, home: one.page }))
}

function exported(
  { entryPoint, page }: Pick<Exported, 'entryPoint' | 'page'>,
  found: ts.Symbol,
  checker: ts.TypeChecker,
): Exported {
  const isAlias = (found.flags & ts.SymbolFlags.Alias) !== 0
  const symbol = isAlias ? checker.getAliasedSymbol(found) : found
  const declarations = symbol.getDeclarations() ?? []
  const [declared] = declarations
  const [, foreign] =
    /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(declared?.getSourceFile().fileName ?? '') ?? []
  const own = ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll(/\s*\n\s*/g, ' ')
  const sentence = own === '' && foreign !== undefined ? `From \`${foreign}\`.` : own
  const texts = declarations.map((one) => (ts.isVariableDeclaration(one) ? one.parent.parent : one).getText())
  return {
    entryPoint,
    page,
    home: /\/packages\/([^/]+)\/dist\//.exec(declared?.getSourceFile().fileName ?? '')?.[1] ?? page,
    name: found.getName(),
    sentence,
    declaration: [...new Set(texts)].join('\n').replaceAll(/^export (declare )?/gm, ''),
    isDeprecated: symbol.getJsDocTags().some(({ name }) => name === 'deprecated'),
  }
}

/** Each name has its sentence and declaration once; where it is exported again, its name alone. */
function packagePage(title: string, own: readonly Exported[]): string {
  const lines = [`# Exports of ${title}`, '']
  const described = new Set<string>()
  for (const entryPoint of new Set(own.map((one) => one.entryPoint))) {
    lines.push(`## ${entryPoint}`, '')
    const listed = own.filter((one) => one.entryPoint === entryPoint && !one.isDeprecated)
    const again: string[] = []
    for (const { name, page, home, sentence, declaration } of listed.toSorted(byName)) {
      const isAbove = described.has(`${name}: ${declaration}`)
      if (isAbove) again.push(`\`${name}\``)
      else if (home !== page) again.push(`[\`${name}\`](./${home}.md)`)
      else lines.push(`### ${name}`, '', sentence, '', '```ts', shortened(declaration), '```', '')
      described.add(`${name}: ${declaration}`)
    }
    if (again.length > 0) lines.push(`Also, as described elsewhere: ${again.join(', ')}.`, '')
  }
  return lines.join('\n')
}

function byName(one: Exported, other: Exported): number {
  return one.name.localeCompare(other.name, 'en')
}

const maxLines = 60

function shortened(declaration: string): string {
  const lines = declaration.split('\n')
  return lines.length <= maxLines ? declaration : [...lines.slice(0, maxLines), '// …'].join('\n')
}
