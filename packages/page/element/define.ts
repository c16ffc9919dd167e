import { BeachChatElement } from './chat-element.ts'

// The script may be there twice, of two agents for example: one definition serves the elements of both.
if (customElements.get('beach-chat') === undefined) customElements.define('beach-chat', BeachChatElement)
