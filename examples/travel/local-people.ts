import type { BeachData } from '@cool-ai/beach'
import { createSlackAdapter } from '@chat-adapter/slack'
import { chatChannel, chatOriginator } from '@cool-ai/beach-chat'
import { email, emailOriginator } from '@cool-ai/beach-email'
import { sms, whatsApp, whatsAppOriginator } from '@cool-ai/beach-phones'
import { openLocalStandIns, type LocalPerson, type LocalStandIns } from '@cool-ai/example-local-stand-ins'
import { ConsoleLogger } from 'chat'
import { deskPrincipal } from './desk.ts'
import { deskSubject, withDesk, type People } from './people.ts'

/** Who approves bookings besides the traveller. The numbers are from a range that is never assigned. */
const desk: LocalPerson = { id: 'desk', name: 'Booking desk', address: 'desk@office.example', phone: '+447700900001' }
/** A traveller who writes to Sally without the page. */
const traveller: LocalPerson = { id: 'anna', name: 'Anna', address: 'anna@home.example', phone: '+447700900002' }

const tenant = 'default'

/** The people of this machine: no accounts are needed, and nothing leaves it. */
export async function localPeople(
  data: BeachData,
  options: { readonly url: string; readonly folder?: string },
): Promise<People & Pick<LocalStandIns, 'links' | 'opening' | 'close'>> {
  const agent = { name: 'Sally', address: 'sally@travel.example' }
  const around = await openLocalStandIns({ ...options, secret: data.secret, agent, people: [desk, traveller] })
  const mail = email(around.mail)
  const deskUser = around.chatUser(desk)
  const workChat = chatChannel({
    adapters: { slack: createSlackAdapter({ ...around.slack, logger: new ConsoleLogger('warn') }) },
    listensTo: 'threads',
    principalOf: ({ user }) => (user === deskUser ? deskPrincipal : { kind: 'user', id: `slack:${user}`, tenant }),
  })
  return {
    ...withDesk(
      [mail, whatsApp(around.whatsApp), sms(around.sms), workChat, around.pages(mail)],
      [
        emailOriginator({ address: desk.address, principal: deskPrincipal, subject: deskSubject }),
        whatsAppOriginator({ phone: desk.phone, principal: deskPrincipal }),
        chatOriginator({ adapter: 'slack', workspace: around.workspace, user: deskUser, principal: deskPrincipal }),
      ],
    ),
    place: {},
    links: around.links,
    opening: around.opening,
    close: () => around.close(),
  }
}
