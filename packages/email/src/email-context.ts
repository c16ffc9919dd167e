import { StoreCaps } from '@cool-ai/beach-channel/people'
import { BeachError, partTypeRegistry, systemRuntime, type PartTypeRegistry, type Runtime } from '@cool-ai/beach-core'
import { withDefaults, type AllGiven } from '@cool-ai/beach-core/runtime'
import { Tokens } from '@cool-ai/beach-core/tokens'
import { domainOf, mailAddress } from './address.ts'
import { keysFor, type Keys } from './mail-id.ts'
import { MailRecords } from './mail-records.ts'
import { MailServer } from './mail-server.ts'
import { defaultLimits, type EmailChannelOptions, type EmailLimits } from './options.ts'

/** What the pieces of the channel share. */
export interface EmailContext {
  readonly options: EmailChannelOptions
  readonly runtime: Runtime
  readonly partTypes: PartTypeRegistry
  readonly tenant: string
  /** The agent's address, and the host in its Message-IDs. */
  readonly ours: string
  readonly host: string
  readonly limits: AllGiven<EmailLimits>
  readonly records: MailRecords
  readonly caps: StoreCaps
  readonly server: MailServer
  /** Keys that the names of mails and the tokens of approvals are made with. */
  readonly names: Keys
  readonly tokens: Keys
  /** What the forms of the approval page are signed with. */
  readonly forms: Tokens
}

const maxLocalLength = 19

/** Checks the options and makes what follows from them. */
export function emailContext(options: EmailChannelOptions): EmailContext {
  const ours = mailAddress(options.address)
  if (ours === undefined || ours.indexOf('@') > maxLocalLength || ours.includes('+')) {
    throw wrong(
      `The agent's address '${options.address}' needs at most ${maxLocalLength} characters before the @, and no plus: 'agent@example.com'.`,
    )
  }
  const limits = withDefaults(defaultLimits, options.limits)
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1) throw wrong(`The limit ${name} must be a whole number above 0.`)
  }
  const runtime = options.runtime ?? systemRuntime()
  const tenant = options.tenant ?? 'default'
  const records = new MailRecords(options.store, tenant)
  return {
    options,
    runtime,
    partTypes: options.partTypes ?? partTypeRegistry,
    tenant,
    ours,
    host: domainOf(ours),
    limits,
    records,
    caps: new StoreCaps(options.store, `email-caps:${encodeURIComponent(tenant)}:`, runtime.clock),
    server: new MailServer(options.outbound, runtime),
    names: keysFor(options.secret, 'names'),
    tokens: keysFor(options.secret, 'tokens'),
    forms: new Tokens({ secret: options.secret, clock: runtime.clock, kind: 'beach-approval-form' }),
  }
}

function wrong(message: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', message)
}
