export type { Journal, Fault } from '../stand-in/stand-in-server.ts'
export {
  whatsAppEntrySchema,
  type StoredMedia,
  type WhatsAppContent,
  type WhatsAppEntry,
  type WhatsAppPerson,
  type WhatsAppReceived,
  type WhatsAppWritten,
} from './whatsapp-message.ts'
export { WhatsAppStandIn } from './whatsapp-stand-in.ts'
