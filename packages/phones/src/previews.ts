export { smsPreview, type SmsPreviewOptions } from './sms/sms-preview.ts'
export { whatsAppPreview, type WhatsAppPreviewOptions } from './whatsapp/whatsapp-preview.ts'
