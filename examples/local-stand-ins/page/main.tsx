import { render } from 'preact'
import { applyTheme, storedTheme } from '@cool-ai/beach-page/page/theme'
import { App } from './app.tsx'

applyTheme(storedTheme())

const root = document.getElementById('app')
if (root === null) throw new Error('The page has no #app.')
const place = (['phone', 'chat'] as const).find((name) => location.pathname.endsWith(`/${name}`))
render(<App place={place ?? 'mailbox'} />, root)
