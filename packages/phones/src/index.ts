export * from './sms/sms-channel.ts'
export * from './whatsapp/whatsapp-channel.ts'
