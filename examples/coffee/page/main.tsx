/** @jsxImportSource react */
import { createRoot } from 'react-dom/client'
import { joinCodeIn } from '@cool-ai/beach-page/page/join-code'
import { applyTheme, storedTheme } from '@cool-ai/beach-page/page/theme'
import { App } from './app.tsx'
import { Visit } from './visit.ts'

applyTheme(storedTheme())
const visit = new Visit({ url: new URL('.', location.href).href, storage: localStorage })
const code = joinCodeIn(location)
if (code === undefined) void visit.start()

const root = document.getElementById('app')
if (root !== null) createRoot(root).render(<App visit={visit} code={code} />)
