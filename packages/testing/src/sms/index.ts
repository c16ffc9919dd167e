export type { Journal, Fault } from '../stand-in/stand-in-server.ts'
export { smsEntrySchema, TwilioStandIn, type SmsEntry, type SmsReceived, type SmsWritten } from './twilio-stand-in.ts'
