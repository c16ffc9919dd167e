import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { BeachError, type Approver, type Channel, type Originator } from '@cool-ai/beach-core'
import { email, emailOriginator } from '@cool-ai/beach-email'
import { sms, smsOriginator, whatsApp, whatsAppOriginator, type WhatsAppTemplate } from '@cool-ai/beach-phones'
import { Desk, deskPrincipal } from './desk.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** How people reach Sally besides the page, and who approves bookings. */
export interface People {
  readonly channels: readonly Channel[]
  readonly desk: Desk
  readonly approvers: readonly Approver[]
  /** Where she is reached from outside, and the name by which she is called there. */
  readonly place: { readonly publicUrl?: string }
}

/** Whether the environment says anything of how people reach Sally. */
export function namesPeople(environment: Environment): boolean {
  return Object.entries(environment).some(
    ([name, value]) => value && /^TRAVEL_(?:MAIL|WHATSAPP|SMS|DESK|PUBLIC)_/.test(name),
  )
}

/**
 * The ways for people, each only where the environment asks for it: mail (`TRAVEL_MAIL_ADDRESS` and its servers),
 * WhatsApp (`TRAVEL_WHATSAPP_NUMBER_ID` and what the app was given), SMS (`TRAVEL_SMS_NUMBER` and its account), and a
 * desk that approves bookings by them (`TRAVEL_DESK_MAIL`, `TRAVEL_DESK_PHONE`).
 */
export function people(environment: Environment): People {
  const publicUrl = environment.TRAVEL_PUBLIC_URL
  const { TRAVEL_DESK_MAIL: address, TRAVEL_DESK_PHONE: phone } = environment
  const byMail = environment.TRAVEL_MAIL_ADDRESS ? mailbox(environment) : undefined
  const byWhatsApp = environment.TRAVEL_WHATSAPP_NUMBER_ID ? phones(environment) : undefined
  if (address && byMail === undefined)
    throw wrong('TRAVEL_DESK_MAIL needs TRAVEL_MAIL_ADDRESS: the agent has no mailbox yet.')
  const bySms = environment.TRAVEL_SMS_NUMBER ? texts(environment) : undefined
  if (phone && byWhatsApp === undefined && bySms === undefined) {
    throw wrong('TRAVEL_DESK_PHONE needs TRAVEL_WHATSAPP_NUMBER_ID or TRAVEL_SMS_NUMBER.')
  }
  const byPhone = byWhatsApp === undefined ? smsOriginator : whatsAppOriginator
  return {
    ...withDesk(
      [byMail, byWhatsApp, bySms].filter((channel) => channel !== undefined),
      [
        ...(address ? [emailOriginator({ address, principal: deskPrincipal, subject: deskSubject })] : []),
        ...(phone ? [byPhone({ phone, principal: deskPrincipal })] : []),
      ],
    ),
    place: publicUrl ? { publicUrl: urlIn(environment, 'TRAVEL_PUBLIC_URL').href } : {},
  }
}

export const deskSubject = 'Bookings of ExampleTravel'

/** The channels, and a desk that is reached by them; without any, only the traveller decides. */
export function withDesk(channels: readonly Channel[], reached: readonly Originator[]): Omit<People, 'place'> {
  const desk = new Desk(reached)
  const { kind, id } = deskPrincipal
  const isThere = reached.length > 0
  return {
    channels,
    desk,
    approvers: ['owner', 'operator', ...(isThere ? [{ kind, id }] : [])],
  }
}

function mailbox(environment: Environment): Channel {
  const { TRAVEL_MAIL_AUTHSERV: authservId } = environment
  return email({
    address: needed(environment, 'TRAVEL_MAIL_ADDRESS'),
    name: 'Sally',
    outbound: serverIn(urlIn(environment, 'TRAVEL_MAIL_SMTP'), { plain: 'smtp:', port: 587, securePort: 465 }),
    imap: environment.TRAVEL_MAIL_IMAP ? { ...imapIn(environment), authservId: authservId || undefined } : undefined,
  })
}

function imapIn(environment: Environment) {
  const url = urlIn(environment, 'TRAVEL_MAIL_IMAP')
  const { auth, ...server } = serverIn(url, { plain: 'imap:', port: 143, securePort: 993 })
  if (auth === undefined) throw wrong('TRAVEL_MAIL_IMAP needs a user and a password: imaps://user:password@host.')
  return { ...server, auth }
}

function phones(environment: Environment): Channel {
  const graphUrl = environment.TRAVEL_WHATSAPP_URL
  const [approval, notice] = [
    template(environment.TRAVEL_WHATSAPP_ASK_TEMPLATE),
    template(environment.TRAVEL_WHATSAPP_NOTICE_TEMPLATE),
  ]
  return whatsApp({
    phoneNumberId: needed(environment, 'TRAVEL_WHATSAPP_NUMBER_ID'),
    accessToken: needed(environment, 'TRAVEL_WHATSAPP_TOKEN'),
    appSecrets: [needed(environment, 'TRAVEL_WHATSAPP_APP_SECRET')],
    verifyToken: needed(environment, 'TRAVEL_WHATSAPP_VERIFY_TOKEN'),
    templates: { approval, notice },
    ...(graphUrl && { graphUrl, fetch: guardedFetch({ allow: [urlIn(environment, 'TRAVEL_WHATSAPP_URL').origin] }) }),
  })
}

function texts(environment: Environment): Channel {
  const apiUrl = environment.TRAVEL_SMS_URL

  const channel = sms({
    accountSid: needed(environment, 'TRAVEL_SMS_ACCOUNT'),
    authTokens: [needed(environment, 'TRAVEL_SMS_TOKEN')],
    from: needed(environment, 'TRAVEL_SMS_NUMBER'),
    countries: environment.TRAVEL_SMS_COUNTRIES ? environment.TRAVEL_SMS_COUNTRIES.split(',') : undefined,
    ...(apiUrl && { apiUrl, fetch: guardedFetch({ allow: [urlIn(environment, 'TRAVEL_SMS_URL').origin] }) }),
  })
  // Twilio signs over it.
  needed(environment, 'TRAVEL_PUBLIC_URL')
  return channel
}

/** A template as `name:language`, such as `booking_question:en_GB`. */
function template(text: string | undefined): WhatsAppTemplate | undefined {
  if (!text) return undefined
  const [name, language, ...more] = text.split(':')
  if (name && language && more.length === 0) return { name, language }
  throw wrong(`'${text}' is not a template. Give its name and language, such as booking_question:en_GB.`)
}

/** A mail server as its address names it: `smtps://user:password@host`, or `smtp:` where TLS begins later. */
function serverIn(url: URL, usual: { readonly plain: string; readonly port: number; readonly securePort: number }) {
  const secure = url.protocol === `${usual.plain.slice(0, -1)}s:`
  if (!secure && url.protocol !== usual.plain) {
    throw wrong(`'${url.protocol}' cannot be used here. Begin the address with ${usual.plain} or the same with an s.`)
  }
  const port = url.port === '' ? (secure ? usual.securePort : usual.port) : Number(url.port)
  const [user, pass] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
  return { host: url.hostname, port, secure, ...(user !== '' && { auth: { user, pass } }) }
}

function urlIn(environment: Environment, name: string): URL {
  const text = needed(environment, name)
  // The text may have a password in it, so it is not repeated.
  if (!URL.canParse(text)) throw wrong(`${name} is not an address.`)
  return new URL(text)
}

function needed(environment: Environment, name: string): string {
  const value = environment[name]
  if (value) return value
  throw wrong(`${name} is missing; README.md of the travel example says what belongs there.`)
}

function wrong(message: string): BeachError {
  return new BeachError('INVALID_CONFIGURATION', message)
}
