import { startPage } from './start-page.tsx'

await startPage()
