import { approvalAction } from './a2ui-action.ts'
import { basicCatalogId, type A2uiMessage } from './a2ui-messages.ts'
import type { ApprovalRequest } from './approval.ts'
import { argumentLines } from './approval-text.ts'
import { visibleText } from './visible-text.ts'

/** How the ids of these surfaces begin; no other surface may have such an id. */
export const approvalSurfacePrefix = 'approval-'

const version = 'v0.9'

/** The built-in surface of an approval request: what is asked, with which arguments, and two buttons. */
export function approvalSurface(request: ApprovalRequest, notice?: string): A2uiMessage[] {
  const surfaceId = `${approvalSurfacePrefix}${request.approvalId}`
  return [
    { version, createSurface: { surfaceId, catalogId: basicCatalogId } },
    { version, updateDataModel: { surfaceId, path: '/', value: dataModel(request, notice) } },
    { version, updateComponents: { surfaceId, components: components(request) } },
  ]
}

function dataModel(request: ApprovalRequest, notice: string | undefined): Record<string, unknown> {
  return {
    title: `Allow ${visibleText(request.toolName)}?`,
    requestedBy: `Requested by ${visibleText(request.handler)}`,
    arguments: argumentLines(request, notice).map((text) => ({ text })),
    ...(request.expiresAt === undefined ? {} : { expires: `Denied by itself after ${request.expiresAt}` }),
  }
}

function components({ approvalId, expiresAt }: ApprovalRequest): Record<string, unknown>[] {
  const expiry = expiresAt === undefined ? [] : ['expires']
  return [
    { id: 'root', component: 'Card', child: 'content' },
    {
      id: 'content',
      component: 'Column',
      children: ['title', 'requested-by', 'arguments', ...expiry, 'approve', 'deny'],
    },
    { id: 'title', component: 'Text', text: { path: '/title' }, variant: 'h3' },
    { id: 'requested-by', component: 'Text', text: { path: '/requestedBy' }, variant: 'caption' },
    { id: 'arguments', component: 'Column', children: { path: '/arguments', componentId: 'argument' } },
    // A caption is shown as it is: in a body an argument could pass for Markdown, and hide where a link leads.
    { id: 'argument', component: 'Text', text: { path: 'text' }, variant: 'caption' },
    ...expiry.map((id) => ({ id, component: 'Text', text: { path: '/expires' }, variant: 'caption' })),
    ...button('approve', 'Approve', { approvalId, decision: 'granted' }),
    ...button('deny', 'Deny', { approvalId, decision: 'denied' }),
  ]
}

function button(id: string, label: string, context: Record<string, string>): Record<string, unknown>[] {
  const action = { event: { name: approvalAction, context } }
  const variant = id === 'approve' ? 'primary' : 'default'
  return [
    { id, component: 'Button', child: `${id}-label`, variant, action },
    { id: `${id}-label`, component: 'Text', text: label },
  ]
}
