'use client'

export { Approval, type ApprovalProps } from './approval.ts'
export { Conversation, type ConversationProps } from './conversation.ts'
export { Surface, type SurfaceProps } from './surface.ts'
export { useBeach, type UseBeachOptions, type UsedApproval, type UsedBeach } from '@cool-ai/beach-client/react'
