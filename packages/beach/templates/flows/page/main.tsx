import '@cool-ai/beach-react/styles.css'
import { createRoot } from 'react-dom/client'
import { Chat } from './chat.tsx'
import './style.css'

const root = document.getElementById('app')
if (root !== null) createRoot(root).render(<Chat />)
