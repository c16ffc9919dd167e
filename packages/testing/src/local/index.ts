export { localMail, type LocalMailAccount, type LocalMailOptions } from './local-mail.ts'
export { localPhone, type LocalPhoneAccount, type LocalPhoneOptions } from './local-phone.ts'
export type { LocalChannel, LocalPerson } from './local-pages.ts'
