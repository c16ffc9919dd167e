/* What pages are made of that are built on this one. */
export { useOpenApprovals, useOwnData, usePanel, useSurroundings } from './context.ts'
export type { DataForm, PageExtension, Panel } from './extension.ts'
export { focusField } from './focus-field.ts'
export { Icon, type IconName } from './icon.tsx'
export { Markdown } from './markdown.tsx'
export { startPage } from './start-page.tsx'
