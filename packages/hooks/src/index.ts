export * from './cron/cron-channel.ts'
export * from './webhook/webhook-channel.ts'
