import { join } from 'node:path'
import ts from 'typescript-5'
import { manifestsOf, type Workspace } from '../release/workspaces.ts'

/** A name that an entry point exports. */
interface Exported {
  readonly entryPoint: string
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
    const own = all.filter(
      ({ entryPoint }) => entryPoint === manifest.name || entryPoint.startsWith(`${manifest.name}/`),
    )
    const name = folder.split('/').at(-1) ?? ''
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
      return [{ entryPoint: join(manifest.name, path), file: join(folder, target.types) }]
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
  return files.flatMap(({ entryPoint, file }) => {
    const source = program.getSourceFile(file)
    const symbol = source === undefined ? undefined : checker.getSymbolAtLocation(source)
    if (symbol === undefined) return []
    return checker.getExportsOfModule(symbol).map((one) => exported(entryPoint, one, checker))
  })
}

function exported(entryPoint: string, found: ts.Symbol, checker: ts.TypeChecker): Exported {
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
    name: found.getName(),
    sentence,
    declaration: [...new Set(texts)].join('\n').replaceAll(/^export (declare )?/gm, ''),
    isDeprecated: symbol.getJsDocTags().some(({ name }) => name === 'deprecated'),
  }
}

function packagePage(name: string, own: readonly Exported[]): string {
  const lines = [`# Exports of ${name}`, '']
  for (const entryPoint of new Set(own.map((one) => one.entryPoint))) {
    lines.push(`## ${entryPoint}`, '')
    const listed = own.filter((one) => one.entryPoint === entryPoint && !one.isDeprecated)
    for (const one of listed.toSorted((a, b) => a.name.localeCompare(b.name, 'en'))) {
      lines.push(`### ${one.name}`, '', one.sentence, '', '```ts', shortened(one.declaration), '```', '')
    }
  }
  return lines.join('\n')
}

const maxLines = 60

function shortened(declaration: string): string {
  const lines = declaration.split('\n')
  return lines.length <= maxLines ? declaration : [...lines.slice(0, maxLines), '// …'].join('\n')
}
