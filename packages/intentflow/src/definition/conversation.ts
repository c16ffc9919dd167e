/** What people say inside a flow, and what it means there. Made by `defineConversation`. */
export interface FlowConversation {
  readonly kind: 'conversation'
  readonly intentId: string
}
