// A page with React, as a user of the package would write it, with a server in the page; bundled by the test.
import {
  FlowHost,
  FlowProvider,
  FlowTestProvider,
  useFlowContext,
  useFlowDispatch,
  useFlowError,
  useFlowProps,
  useFlowState,
  useRenderContext,
  type FlowComponents,
} from '@intentflow/core/react'
import { createFlowClient, type FlowAction, type OptimisticTables } from '@intentflow/core/client'
import { createElement as h, lazy, StrictMode, useState, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { createRoot, type Root } from 'react-dom/client'
import { FakeServer } from '../../packages/intentflow/src/client/fake-server.test-helper.ts'

export const server = new FakeServer()

/** What the test looks at. */
export const watched = {
  /** How often each flow was drawn, by instance. */
  draws: {} as Record<string, number>,
  problems: [] as string[],
  caught: [] as string[],
  dispatched: [] as FlowAction[],
}

interface OrderProps {
  readonly items: readonly { readonly name: string; readonly quantity: number }[]
  readonly broken?: boolean
}

function Order(given: OrderProps): ReactNode {
  const { items, broken } = useFlowProps<OrderProps>()
  const state = useFlowState()
  const context = useFlowContext<{ by?: string }>()
  const dispatch = useFlowDispatch()
  const error = useFlowError()
  const { instanceId, displayMode, isMCP, pending } = useRenderContext()
  watched.draws[instanceId] = (watched.draws[instanceId] ?? 0) + 1
  if (broken === true) throw new Error('This component is broken.')
  if (given.items !== items) throw new Error('The props that are given are not those of the hook.')
  return h(
    'form',
    { onSubmit: (event: { preventDefault: () => void }) => event.preventDefault() },
    h('h2', {}, 'Your order'),
    h('output', { className: 'state' }, `${state}${pending ? ' pending' : ''} ${displayMode} ${isMCP ? 'mcp' : ''}`),
    h('output', { className: 'by' }, context.by ?? ''),
    h(
      'ul',
      {},
      items.map(({ name, quantity }) => h('li', { key: name }, `${quantity} × ${name}`)),
    ),
    h('label', {}, 'Tip ', h('input', { name: 'tip' })),
    h('button', { type: 'button', onClick: () => void dispatch('CONFIRM', { tip: 1 }) }, 'Confirm'),
    h('button', { type: 'button', onClick: () => void dispatch({ event: 'EDIT' }) }, 'Edit'),
    h('button', { type: 'button', onClick: () => void dispatch({ type: 'SAVE', index: 2 }) }, 'Save'),
    error && h('p', { role: 'alert' }, error.message),
    error && h('button', { type: 'button', onClick: () => void error.retry() }, 'Retry'),
  )
}

let load: (module: { default: () => ReactNode }) => void = () => {}

/** Loads what was asked for by the lazy component. */
export function loaded(): void {
  load({ default: () => h('p', {}, 'Loaded now') })
}

const components: FlowComponents = {
  'order.place': { component: Order, title: 'Place an order' },
  'order.lazy': lazy(() => new Promise<{ default: () => ReactNode }>((resolve) => (load = resolve))),
}

const optimistic: OptimisticTables = {
  'order.place': { review: { CONFIRM: { to: 'confirming', context: { by: 'CONFIRM' } } } },
}

let root: Root | undefined

function draw(what: ReactNode): void {
  const note = (list: string[]) => (error: unknown) => void list.push(String(error))
  root ??= createRoot(document.getElementById('root') ?? document.body, {
    onRecoverableError: note(watched.problems),
    onUncaughtError: note(watched.problems),
    onCaughtError: note(watched.caught),
  })
  flushSync(() => root?.render(h(StrictMode, {}, what)))
}

/** Shows the flows of the server. */
export function show(): void {
  const client = createFlowClient({ transport: server.transport, optimistic })
  const onError = (error: unknown) => void watched.caught.push(`told of ${String(error)}`)
  draw(
    h(
      FlowProvider,
      { client, components, onError },
      h('main', {}, h('h1', {}, 'Shop'), h('button', { id: 'behind' }, 'Behind'), h(FlowHost)),
    ),
  )
}

/** Shows the component of a flow as a test of it would, with a button that changes what it is given. */
export function showTest(): void {
  const Test = () => {
    const [count, setCount] = useState(1)
    return h(
      'main',
      {},
      h('button', { id: 'more', onClick: () => setCount(count + 1) }, 'More'),
      h(
        FlowTestProvider,
        {
          intentId: 'order.place',
          props: { items: [{ name: 'tea', quantity: count }] },
          state: 'review',
          transitions: { review: { EDIT: 'editing' } },
          onDispatch: (action) => {
            watched.dispatched.push(action)
            return action.event === 'CONFIRM'
              ? { code: 'MUTATION_FAILED', message: 'Payment declined.', recoverable: true }
              : undefined
          },
        },
        h(TestedOrder),
      ),
    )
  }
  draw(h(Test))
}

function TestedOrder(): ReactNode {
  return h(Order, useFlowProps<OrderProps>())
}
