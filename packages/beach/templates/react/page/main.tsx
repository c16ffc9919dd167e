import { openSession } from '@cool-ai/beach-client'
import { createRoot } from 'react-dom/client'
import { Chat } from './chat.tsx'
import './style.css'

const root = document.getElementById('app')
if (root !== null) createRoot(root).render(<Chat session={await openSession()} />)
