export { memoryJournal, type Journal } from '../stand-in/stand-in-server.ts'
export { domains, type Domains } from './domains.ts'
export { answerTo, deliver, written, type Letter } from './letters.ts'
export { mailEntrySchema, postOffice, type Delivered, type PostOffice, type PostOfficeOptions } from './post-office.ts'
