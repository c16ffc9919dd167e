import {
  defaultTreeAdapter,
  parse,
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  type TreeAdapter,
} from 'parse5'

export type Element = DefaultTreeAdapterTypes.Element
export type Node = DefaultTreeAdapterTypes.ChildNode

/** An HTML page as a browser without scripts parses it. */
export interface Page {
  readonly nodes: readonly Node[]
  /** What the parser did not read, because the page exceeds a limit. */
  readonly rest: string
}

const maxHtml = 400_000
const maxDepth = 300
/** Far fewer than a page can have by its length: an open `<b>` comes again in each paragraph. */
const maxElements = 20_000
const limitReached = new Error('The page has too many elements, or too deep ones.')

/** The page of a mail, up to the limits. The parser does not recurse, and takes a time that grows with the length. */
export function parsePage(html: string): Page {
  const document = defaultTreeAdapter.createDocument()
  let depth = 0
  let elements = 0
  let last = -1
  const treeAdapter: TreeAdapter<DefaultTreeAdapterMap> = {
    ...defaultTreeAdapter,
    createDocument: () => document,
    createElement(...given) {
      if (++elements > maxElements) throw limitReached
      return defaultTreeAdapter.createElement(...given)
    },
    onItemPush() {
      if (++depth > maxDepth) throw limitReached
    },
    onItemPop() {
      depth--
    },
    // Source positions tell how far the parser came; no node keeps its own.
    setNodeSourceCodeLocation(_, place) {
      last = Math.max(last, place?.startOffset ?? -1)
    },
  }
  try {
    parse(html.slice(0, maxHtml), { treeAdapter, scriptingEnabled: false, sourceCodeLocationInfo: true })
    return { nodes: document.childNodes, rest: html.length > maxHtml ? html.slice(last + 1) : '' }
  } catch (error) {
    if (error !== limitReached) throw error
    return { nodes: document.childNodes, rest: html.slice(last + 1) }
  }
}

/** The nodes of a page in their order; elements come a second time at their end. */
export function* nodesOf(page: Page): Generator<{ readonly node: Node; readonly isEnd: boolean }> {
  // What is still to be visited, the next one last.
  const left = page.nodes.map((node) => ({ node, isEnd: false })).toReversed()
  for (let step = left.pop(); step !== undefined; step = left.pop()) {
    yield step
    if (step.isEnd || !('tagName' in step.node)) continue
    left.push({ node: step.node, isEnd: true })
    for (const node of step.node.childNodes.toReversed()) left.push({ node, isEnd: false })
  }
}
