import { describe, expect, test } from 'vitest'
import {
  eventToLegacy,
  pushConfigFromLegacy,
  pushConfigToLegacy,
  sendRequestFromLegacy,
  taskToLegacy,
} from './legacy-proto.ts'

describe('a request of 0.3', () => {
  test('has its message, its parts and its configuration under the names of 1.0', () => {
    const content = [
      { text: 'hi', metadata: { a: 1 } },
      { data: { data: { b: 2 } } },
      { file: { fileWithUri: 'https://x.example/f', mimeType: 'text/csv', name: 'f.csv' } },
      { file: { fileWithBytes: 'aGk=' } },
    ]
    const pushNotification = { url: 'https://x.example/', authentication: { schemes: ['Bearer'], credentials: 'c' } }
    const configuration = { blocking: true, historyLength: 0, pushNotification }
    const read = sendRequestFromLegacy({ message: { messageId: 'm', role: 'ROLE_USER', content }, configuration })
    expect(read).toEqual({
      message: {
        messageId: 'm',
        role: 'ROLE_USER',
        parts: [
          { text: 'hi', metadata: { a: 1 } },
          { data: { b: 2 } },
          { url: 'https://x.example/f', mediaType: 'text/csv', filename: 'f.csv' },
          { raw: 'aGk=' },
        ],
      },
      configuration: {
        returnImmediately: false,
        taskPushNotificationConfig: {
          url: 'https://x.example/',
          authentication: { scheme: 'Bearer', credentials: 'c' },
        },
      },
    })
  })

  test('that is nonsense is read as one without a message', () => {
    for (const nonsense of [undefined, null, 7, 'x', [], {}]) {
      expect(sendRequestFromLegacy(nonsense)).toMatchObject({ message: { parts: [] } })
    }
  })
})

describe('an answer for 0.3', () => {
  test('is a task with the names of then', () => {
    const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ data: [1], metadata: { partType: 'x' } }] }
    const task = {
      id: 't',
      status: { state: 'TASK_STATE_CANCELED', message },
      artifacts: [{ artifactId: 'a', parts: [] }],
    }
    expect(taskToLegacy(task)).toEqual({
      id: 't',
      status: {
        state: 'TASK_STATE_CANCELLED',
        message: {
          messageId: 'm',
          role: 'ROLE_AGENT',
          // Data was an object then.
          content: [{ data: { data: { value: [1] } }, metadata: { partType: 'x', data_part_compat: true } }],
        },
      },
      artifacts: [{ artifactId: 'a', parts: [] }],
      history: [],
    })
  })

  test.each([
    ['TASK_STATE_WORKING', false],
    ['TASK_STATE_INPUT_REQUIRED', true],
    ['TASK_STATE_COMPLETED', true],
  ])('says of %s whether it is final: %s', (state, final) => {
    expect(eventToLegacy({ statusUpdate: { taskId: 't', status: { state } } })).toEqual({
      statusUpdate: { taskId: 't', status: { state }, final },
    })
  })

  test('names a push notification config by its task', () => {
    const config = { id: 'c', taskId: 't', url: 'https://x.example/', token: 'k' }
    const legacy = pushConfigToLegacy(config)
    expect(legacy).toEqual({
      name: 'tasks/t/pushNotificationConfigs/c',
      pushNotificationConfig: { id: 'c', url: 'https://x.example/', token: 'k' },
    })
    expect(pushConfigFromLegacy(legacy)).toEqual({ id: 'c', url: 'https://x.example/', token: 'k' })
  })
})
