import { parseSync } from 'oxc-parser'

/** A small change of a source that a test should notice. */
export interface Mutant {
  readonly line: number
  /** What was changed, in words. */
  readonly change: string
  /** The whole source with the change. */
  readonly source: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [name: string]: unknown
}

/** What can stand in place of an expression, or of a statement: that one can only go. */
interface Edit {
  readonly place: Node
  readonly text: string
  readonly change: string
}

const swapped: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
}

// Of what TypeScript adds only these have a value.
const withValue = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])
const names = new Set(['ImportDeclaration', 'ExportSpecifier'])
const removable = new Set(['CallExpression', 'AwaitExpression', 'AssignmentExpression', 'UpdateExpression'])

/** All mutants of a source: negated conditions, moved boundaries, swapped operators, removed statements, changed constants. */
export function mutantsOf(file: string, source: string): Mutant[] {
  return editsOf(parsed(file, source), source).map(({ place: { start, end }, text, change }) => ({
    line: source.slice(0, start).split('\n').length,
    change,
    source: source.slice(0, start) + text + source.slice(end),
  }))
}

/** The source with all its mutants in it: `globalThis.mutant(id)` says of each whether it is the one that is tried. */
export function switchedSource(file: string, source: string, firstId: number): string {
  const program = parsed(file, source)
  const edits = new Map<Node, { readonly id: number; readonly text: string }[]>()
  for (const [index, { place, text }] of editsOf(program, source).entries()) {
    edits.set(place, [...(edits.get(place) ?? []), { id: firstId + index, text }])
  }
  return written(program)

  function written(node: Node): string {
    let [text, from] = ['', node.start]
    for (const child of childrenOf(node)) {
      text += source.slice(from, child.start) + written(child)
      from = child.end
    }
    text += source.slice(from, node.end)
    const own = edits.get(node) ?? []
    if (node.type !== 'ExpressionStatement') {
      return own.reduce((whole, { id, text: other }) => `(globalThis.mutant?.(${id}) ? (${other}) : ${whole})`, text)
    }
    // The braces also keep a statement that begins with a bracket apart from the line before it.
    for (const { id } of own) text = `if (globalThis.mutant?.(${id})); else ${text}`
    return text === source.slice(node.start, node.end) ? text : `{ ${text} }`
  }
}

function parsed(file: string, source: string): Node {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`)
  return { ...(program as unknown as Node), start: 0, end: source.length }
}

function editsOf(program: Node, source: string): Edit[] {
  const edits: Edit[] = []
  const visit = (node: Node) => {
    if (isLogLine(node, source)) return
    edits.push(...editsAt(node, source))
    for (const child of childrenOf(node)) visit(child)
  }
  visit(program)
  return edits
}

/** Which lines are logged is not promised. */
function isLogLine({ type, start, end }: Node, source: string): boolean {
  return type === 'ExpressionStatement' && /^[\w.#]*logger\.log\(/.test(source.slice(start, end))
}

/** Those that have a value, in the order of the source. A key of a property has none. */
function childrenOf(node: Node): Node[] {
  const children: Node[] = []
  for (const [name, value] of Object.entries(node)) {
    if (name === 'key' && node.computed === false) continue
    // `{ a }` has its name twice.
    if (name === 'value' && node.shorthand === true && (value as Node).type === 'Identifier') continue
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isNode(child) && (!child.type.startsWith('TS') || withValue.has(child.type))) children.push(child)
    }
  }
  return children.filter(({ type }) => !names.has(type)).toSorted((one, other) => one.start - other.start)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

function editsAt(node: Node, source: string): Edit[] {
  const text = ({ start, end }: Node) => source.slice(start, end)
  switch (node.type) {
    case 'IfStatement':
    case 'WhileStatement':
    case 'ConditionalExpression': {
      const place = node.test as Node
      return [{ place, text: `!(${text(place)})`, change: `negated '${short(text(place))}'` }]
    }
    case 'BinaryExpression':
    case 'LogicalExpression':
      return swap(node, source)
    case 'ExpressionStatement': {
      const { type } = node.expression as Node
      return removable.has(type) ? [{ place: node, text: ';', change: `removed '${short(text(node))}'` }] : []
    }
    case 'AwaitExpression': {
      const awaited = text(node.argument as Node)
      return [{ place: node, text: awaited, change: `did not await '${short(awaited)}'` }]
    }
    case 'Literal': {
      const { value } = node
      const other = typeof value === 'boolean' ? !value : typeof value === 'number' ? value + 1 : undefined
      return other === undefined
        ? []
        : [{ place: node, text: String(other), change: `${text(node)} became ${String(other)}` }]
    }
    default:
      return []
  }
}

function swap(node: Node, source: string): Edit[] {
  const [left, right, operator] = [node.left as Node, node.right as Node, String(node.operator)]
  const before = source.slice(node.start, left.end)
  if (operator === '??') {
    return [{ place: node, text: before, change: `dropped '?? ${short(source.slice(right.start, right.end))}'` }]
  }
  const other = swapped[operator]
  const at = source.indexOf(operator, left.end)
  if (other === undefined || at === -1 || at >= right.start) return []
  const text = source.slice(node.start, at) + other + source.slice(at + operator.length, node.end)
  const change = `${operator} became ${other} in '${short(source.slice(node.start, node.end))}'`
  return [{ place: node, text, change }]
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 57)}...` : line
}
