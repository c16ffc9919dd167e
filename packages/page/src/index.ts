export { chatPageFiles } from './chat-page-files.ts'
export type { PageAbout, PageLink } from './page-about.ts'
export { pageFile, type PageFile, type PageFiles } from './page-file.ts'
export { chatPageHeaders, pageHeaders } from './page-headers.ts'
