import type { Statement } from './lanes.ts'

/** A write that waits to be sent. */
export interface WaitingWrite {
  readonly statement: Statement
  readonly values: readonly unknown[]
  readonly durable: boolean
  /** It failed together with others, and is sent by itself from now on. */
  readonly isAlone?: boolean | undefined
}

/** One statement to send, for one write or for many. */
export interface SentWrite<Write extends WaitingWrite> {
  readonly statement: Statement
  readonly values: readonly unknown[]
  readonly durable: boolean
  readonly writes: readonly Write[]
}

/** Writes that have a statement for many become one, all in one transaction; the others are sent as they are. */
export function groupWrites<Write extends WaitingWrite>(batch: readonly Write[]): SentWrite<Write>[] {
  const groups = new Map<string, Map<unknown, Write>>()
  const sent: (Map<unknown, Write> | Write)[] = []
  for (const write of batch) {
    const { statement, values, durable, isAlone } = write
    const name = `${statement.forMany?.name} ${durable}`
    const group = groups.get(name)
    // What is written twice under the same key is written one after the other.
    if (statement.forMany === undefined || isAlone === true || group?.has(values[0]) === true) sent.push(write)
    else if (group === undefined) {
      const first = new Map([[values[0], write]])
      groups.set(name, first)
      sent.push(first)
    } else group.set(values[0], write)
  }
  return sent.map((each) => (each instanceof Map ? together([...each.values()]) : alone(each)))
}

function alone<Write extends WaitingWrite>(write: Write): SentWrite<Write> {
  const { statement, values, durable } = write
  return { statement, values, durable, writes: [write] }
}

/** Each parameter of the statement for many has that parameter of all writes. */
function together<Write extends WaitingWrite>(writes: readonly Write[]): SentWrite<Write> {
  const [first] = writes
  if (first?.statement.forMany === undefined || writes.length === 1) return alone(first as Write)
  const values = first.values.map((_, index) => writes.map((write) => write.values[index]))
  return { statement: first.statement.forMany, values, durable: first.durable, writes }
}

/** The rows of one write among those of all that were sent with it. */
export function rowsOf<Row extends Readonly<Record<string, unknown>>>(
  rows: readonly Row[],
  sent: SentWrite<WaitingWrite>,
  write: WaitingWrite,
): readonly Row[] {
  return sent.writes.length === 1 ? rows : rows.filter(({ key }) => key === write.values[0])
}
