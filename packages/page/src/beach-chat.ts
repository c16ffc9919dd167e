/** The element `<beach-chat>`: a conversation with an agent on any page. Its attributes are `agent`, `conversation`, `label`, `placeholder`, `suggestions` and `theme`. */
export interface BeachChatElement extends HTMLElement {
  /** What `authenticators` of the agent accept, for users who have signed in; guests need none. */
  token: string | undefined
  /** Says something for the user, as if it had been typed. */
  send: (text: string) => Promise<void>
}

declare global {
  interface HTMLElementTagNameMap {
    'beach-chat': BeachChatElement
  }
}
