import type { InContext } from '@cool-ai/beach-channel'
import { StoreCaps } from '@cool-ai/beach-channel/people'
import { BeachError, type PartTypeRegistry, type Runtime } from '@cool-ai/beach-core'
import { withDefaults, type AllGiven } from '@cool-ai/beach-core/runtime'
import { Tokens } from '@cool-ai/beach-core/tokens'
import { domainOf, mailAddress } from './address.ts'
import { keysFor, type Keys } from './mail-id.ts'
import { MailRecords } from './mail-records.ts'
import { MailServer } from './mail-server.ts'
import { defaultLimits, type EmailChannelOptions, type EmailLimits } from './options.ts'

type EmailSettings = InContext<EmailChannelOptions> & { readonly name: string }

/** What the pieces of the channel share. */
export interface EmailContext {
  readonly options: EmailSettings
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

/** The agent's address and the limits, checked. */
export function checkedOptions({ address, limits: given }: EmailChannelOptions): Pick<EmailContext, 'ours' | 'limits'> {
  const ours = mailAddress(address)
  if (ours === undefined || ours.indexOf('@') > maxLocalLength || ours.includes('+')) {
    throw wrong(
      `The agent's address '${address}' needs at most ${maxLocalLength} characters before the @, and no plus: 'agent@example.com'.`,
    )
  }
  const limits = withDefaults(defaultLimits, given)
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1) throw wrong(`The limit ${name} must be a whole number above 0.`)
  }
  return { ours, limits }
}

/** Creates what follows from the options and from the agent's context. */
export function emailContext(options: InContext<EmailChannelOptions>): EmailContext {
  const { agent, store, secret, runtime, partTypes, tenant } = options
  const { ours, limits } = checkedOptions(options)
  return {
    options: { ...options, name: options.name ?? agent.name },
    runtime,
    partTypes,
    tenant,
    ours,
    host: domainOf(ours),
    limits,
    records: new MailRecords(store, tenant),
    caps: new StoreCaps(store, `email-caps:${encodeURIComponent(tenant)}:`, runtime.clock),
    server: new MailServer(options.outbound, runtime),
    names: keysFor(secret, 'names'),
    tokens: keysFor(secret, 'tokens'),
    forms: new Tokens({ secret, clock: runtime.clock, kind: 'beach-approval-form' }),
  }
}

function wrong(message: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', message)
}
