import { caller } from './harbour-peer.ts'

const { callAgent } = caller
const say = (text: string) => [{ partType: 'message', text }]

const asked = await callAgent('harbour', say('A berth, please.'))
console.log(asked.state, asked.parts.map((part) => part.text).join(' '))

// What answers a question names its task and its context.
const { taskId = '', contextId = '' } = asked
const found = await callAgent('harbour', say('12 m'), { taskId, contextId, capability: 'berths' })
console.log(found.state, JSON.stringify(found.parts.map((part) => part.text ?? part.data)))

const wanted = await callAgent('harbour', say('Book it.'), { contextId })
const [approval] = wanted.approvals
console.log(wanted.state, approval?.toolName, JSON.stringify(approval?.args))

const { approvalId = '' } = approval ?? {}
const decision = { approvalId, decision: 'granted', decidedAt: new Date().toISOString() }
const place = { taskId: wanted.taskId ?? '', contextId }
const booked = await callAgent('harbour', [{ partType: 'approval-response', data: decision }], place)
console.log(booked.state, booked.parts.map((part) => part.text).join(' '))
process.exit()
