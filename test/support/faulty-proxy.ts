import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { Messages } from './postgres-messages.ts'

/** What happens to a statement on its way to PostgreSQL. */
export type Fault =
  /** The connection breaks before the statement is sent. */
  | 'cut before'
  /** The connection breaks after the statement was done, and before it was acknowledged. */
  | 'cut after'
  /** The server rolls the transaction back: a serialization failure. */
  | '40001'
  /** The server rolls the transaction back: a deadlock. */
  | '40P01'
  /** It comes late: other connections overtake it. */
  | 'slow'
  /** `onRestart` is awaited before it is sent: the server restarts under it. */
  | 'restart'

/** Says what happens to the statement of this number, counted from 0 since the plan was set. */
export type FaultPlan = (statement: number) => Fault | undefined

export interface FaultyProxy extends AsyncDisposable {
  readonly port: number
  /** How many statements came since the plan was set. */
  readonly statements: number
  readonly faults: number
  plan(plan: FaultPlan): void
}

export interface FaultyProxyOptions {
  readonly port: number
  readonly onRestart?: () => Promise<void>
}

const slowMs = 15
const noFault: FaultPlan = () => undefined

/** A proxy on loopback that reads PostgreSQL's protocol, and lets a plan decide what happens to each statement. */
export async function faultyProxy(options: FaultyProxyOptions): Promise<FaultyProxy> {
  let plan = noFault
  let [statements, faults] = [0, 0]
  const open = new Set<Socket>()
  const next = (): Fault | undefined => {
    const fault = plan(statements++)
    if (fault !== undefined) faults++
    return fault
  }
  const server = createServer((client) => {
    const upstream = connect(options.port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on('close', () => open.delete(socket))
    }
    carry(client, upstream, next, options.onRestart ?? (() => Promise.resolve()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    get statements() {
      return statements
    },
    get faults() {
      return faults
    },
    plan(given) {
      plan = given
      statements = 0
      faults = 0
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Carries one connection: statement by statement to the server, answer by answer back. */
function carry(client: Socket, upstream: Socket, next: () => Fault | undefined, onRestart: () => Promise<void>): void {
  const end = () => [client, upstream].forEach((socket) => socket.destroy())
  for (const socket of [client, upstream]) socket.on('error', end).on('close', end)
  /** What is done with the answers that are still to come, in their order. */
  const answers: (Fault | undefined)[] = []
  const asked = new Messages(false)
  let order = Promise.resolve()
  let statement: Buffer[] = []
  client.on('data', (data) => {
    for (const message of asked.add(data)) {
      statement.push(message.bytes)
      if (!'SQ'.includes(message.type) || message.type === '') {
        if (message.type !== '' && message.type !== 'p' && message.type !== 'X') continue
        const startup = Buffer.concat(statement.splice(0))
        order = order.then(() => void upstream.write(startup))
        continue
      }
      const whole = statement
      statement = []
      order = order.then(() => send(whole))
    }
  })
  const send = async (whole: readonly Buffer[]): Promise<void> => {
    const fault = next()
    if (fault === 'cut before') return end()
    if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, slowMs))
    if (fault === 'restart') await onRestart()
    answers.push(fault)
    upstream.write(isRolledBack(fault) ? unexecuted(whole) : Buffer.concat(whole))
  }
  const answered = new Messages(true)
  let held: Buffer[] = []
  let isStarted = false
  upstream.on('data', (data) => {
    for (const { type, bytes } of answered.add(data)) {
      held.push(bytes)
      if (type !== 'Z') {
        if (!isStarted || answers.length === 0) client.write(Buffer.concat(held.splice(0)))
        continue
      }
      const fault = isStarted ? answers.shift() : undefined
      isStarted = true
      if (fault === 'cut after') return end()
      if (isRolledBack(fault)) held.splice(-1, 0, errorResponse(fault))
      client.write(Buffer.concat(held.splice(0)))
    }
  })
}

function isRolledBack(fault: Fault | undefined): fault is '40001' | '40P01' {
  return fault === '40001' || fault === '40P01'
}

/** Of a statement what prepares it, and the end. */
function unexecuted(messages: readonly Buffer[]): Buffer {
  const sync = Buffer.from([0x53, 0, 0, 0, 4])
  return Buffer.concat([...messages.filter((message) => message[0] === 0x50), sync])
}

function errorResponse(code: string): Buffer {
  const fields = Buffer.from(`SERROR\0VERROR\0C${code}\0Minjected by a test\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}
