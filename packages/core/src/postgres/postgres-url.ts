import { BeachError } from '../errors.ts'

/** Where a database is, and how it is used. */
export interface PostgresLocation {
  /** For the driver: without what is only ours. */
  readonly connectionString: string
  /** Holds the tables of one agent. */
  readonly schema?: string | undefined
  /** Connections for reads and transactions; others are for writes and for notifications. */
  readonly maxConnections: number
  /** Whether connections keep prepared statements; some poolers cannot. */
  readonly prepares: boolean
}

const defaultConnections = 8
const schemaName = /^[a-z_][a-z0-9_]{0,40}$/

/** True for an address that PostgreSQL is meant by. */
export function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text)
}

/** Reads `postgres://user@host/database?schema=…&connections=…&prepared=false`; other parameters are the driver's. */
export function parsePostgresUrl(text: string): PostgresLocation {
  const url = isPostgresUrl(text) && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) {
    throw new BeachError(
      'INVALID_CONFIGURATION',
      'The address of the database is not one: postgres://user@host/database.',
    )
  }
  const schema = url.searchParams.get('schema') ?? undefined
  const connections = url.searchParams.get('connections') ?? String(defaultConnections)
  const prepared = url.searchParams.get('prepared') ?? 'true'
  for (const ours of ['schema', 'connections', 'prepared']) url.searchParams.delete(ours)
  const maxConnections = Number(connections)
  if (!Number.isInteger(maxConnections) || maxConnections < 1) {
    throw new BeachError('INVALID_CONFIGURATION', `connections=${connections} is not a number of connections.`)
  }
  if (prepared !== 'true' && prepared !== 'false') {
    throw new BeachError('INVALID_CONFIGURATION', `prepared=${prepared} is neither true nor false.`)
  }
  return {
    connectionString: url.href,
    schema: schema === undefined ? undefined : checkedSchema(schema),
    maxConnections,
    prepares: prepared === 'true',
  }
}

/** The name of a schema as it stands in statements, without quotes. */
export function checkedSchema(name: string): string {
  if (schemaName.test(name)) return name
  throw new BeachError(
    'INVALID_CONFIGURATION',
    `'${name}' cannot be the name of a schema: use up to 41 small letters, digits and underscores, a letter first.`,
  )
}

/** The schema of an agent that names none: `beach_` and its id. */
export function schemaOf(agentId: string): string {
  return checkedSchema(`beach_${agentId.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`.slice(0, 41))
}
