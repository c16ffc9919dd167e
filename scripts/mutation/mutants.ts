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

/** What stands in place of a stretch of the source. */
interface Edit {
  readonly start: number
  readonly end: number
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
const removable = new Set(['CallExpression', 'AwaitExpression', 'AssignmentExpression', 'UpdateExpression'])

/** All mutants of a source: negated conditions, moved boundaries, swapped operators, removed statements, changed constants. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`)
  const edits: Edit[] = []
  walk(program as unknown as Node, (node) => {
    if (isLogLine(node, source)) return false
    edits.push(...editsOf(node, source))
    return true
  })
  return edits.map(({ start, end, text, change }) => ({
    line: source.slice(0, start).split('\n').length,
    change,
    source: source.slice(0, start) + text + source.slice(end),
  }))
}

/** Which lines are logged is not promised. */
function isLogLine({ type, start, end }: Node, source: string): boolean {
  return type === 'ExpressionStatement' && /^[\w.#]*logger\.log\(/.test(source.slice(start, end))
}

/** Goes into a node when its visit says so. */
function walk(node: Node, visit: (node: Node) => boolean): void {
  if (node.type.startsWith('TS') && !withValue.has(node.type)) return
  if (node.type === 'ImportDeclaration') return
  if (!visit(node)) return
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) if (isNode(child)) walk(child, visit)
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

function editsOf(node: Node, source: string): Edit[] {
  const text = ({ start, end }: Node) => source.slice(start, end)
  const edit = (at: Pick<Node, 'start' | 'end'>, replacement: string, change: string): Edit => ({
    start: at.start,
    end: at.end,
    text: replacement,
    change,
  })
  switch (node.type) {
    case 'IfStatement':
    case 'WhileStatement':
    case 'ConditionalExpression': {
      const test = node.test as Node
      return [edit(test, `!(${text(test)})`, `negated '${short(text(test))}'`)]
    }
    case 'BinaryExpression':
    case 'LogicalExpression':
      return swap(node, source)
    case 'ExpressionStatement': {
      const { type } = node.expression as Node
      return removable.has(type) ? [edit(node, ';', `removed '${short(text(node))}'`)] : []
    }
    case 'AwaitExpression':
      return [edit(node, text(node.argument as Node), `did not await '${short(text(node.argument as Node))}'`)]
    case 'Literal':
      if (typeof node.value === 'boolean')
        return [edit(node, String(!node.value), `${node.value} became ${!node.value}`)]
      if (typeof node.value !== 'number') return []
      return [edit(node, String(node.value + 1), `${text(node)} became ${node.value + 1}`)]
    default:
      return []
  }
}

function swap({ left, right, operator }: Node, source: string): Edit[] {
  const [before, after] = [left as Node, right as Node]
  const place = source.indexOf(String(operator), before.end)
  if (operator === '??') {
    return [
      {
        start: before.end,
        end: after.end,
        text: '',
        change: `dropped '?? ${short(source.slice(after.start, after.end))}'`,
      },
    ]
  }
  const other = swapped[String(operator)]
  if (other === undefined || place === -1 || place >= after.start) return []
  const change = `${String(operator)} became ${other} in '${short(source.slice(before.start, after.end))}'`
  return [{ start: place, end: place + String(operator).length, text: other, change }]
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 57)}...` : line
}
