import { startPage } from '@cool-ai/beach-page/page'
import { exampleViews } from './example-views.tsx'

await startPage(exampleViews)
