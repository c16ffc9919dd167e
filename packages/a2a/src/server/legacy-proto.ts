import { isObject } from '@cool-ai/beach-protocol/json-schema'

/** JSON of either version, read by code that knows its shape. */
type Json = Readonly<Record<string, unknown>>

/**
 * Protocol 0.3 wrote HTTP+JSON by an earlier form of the Protocol Buffers that 1.0 is written by. These functions turn
 * one JSON into the other; the SDK has them for Express only.
 */

/** A request of 0.3 to send a message, as one of 1.0. */
export function sendRequestFromLegacy(given: unknown): Json {
  const { message, request, configuration, metadata } = objectIn(given)
  const { blocking, historyLength, acceptedOutputModes, pushNotification } = objectIn(configuration)
  return {
    message: messageFromLegacy(message ?? request),
    configuration: {
      returnImmediately: blocking !== true,
      taskPushNotificationConfig: pushNotification === undefined ? undefined : pushFromLegacy(pushNotification),
      acceptedOutputModes: Array.isArray(acceptedOutputModes) ? acceptedOutputModes : undefined,
      // 0 stood for a number that was not given.
      historyLength: typeof historyLength === 'number' && historyLength > 0 ? historyLength : undefined,
    },
    metadata,
  }
}

/** A push notification config of 0.3 with its name, as one of 1.0. */
export function pushConfigFromLegacy(given: unknown): Json {
  return pushFromLegacy(objectIn(given).pushNotificationConfig)
}

function pushFromLegacy(given: unknown): Json {
  const { authentication, ...config } = objectIn(given)
  if (authentication === undefined || authentication === null) return config
  const { schemes, credentials } = objectIn(authentication)
  const scheme: unknown = Array.isArray(schemes) ? schemes[0] : undefined
  return { ...config, authentication: { scheme, credentials } }
}

/** A push notification config of 1.0, as one of 0.3 with its name. */
export function pushConfigToLegacy(given: unknown): Json {
  const { id = '', taskId = '', url, token, authentication } = objectIn(given)
  const { scheme, credentials } = objectIn(authentication)
  return {
    name: `tasks/${String(taskId)}/pushNotificationConfigs/${String(id)}`,
    pushNotificationConfig: {
      id,
      url,
      token,
      authentication: authentication === undefined ? undefined : { schemes: [scheme], credentials },
    },
  }
}

function messageFromLegacy(given: unknown): Json {
  const { content, ...message } = objectIn(given)
  return { ...message, parts: listIn(content).map(partFromLegacy) }
}

function messageToLegacy(given: unknown): Json {
  const { parts, ...message } = objectIn(given)
  return { ...message, content: listIn(parts).map(partToLegacy) }
}

function partFromLegacy(given: unknown): Json {
  const { file, data, ...part } = objectIn(given)
  if (data !== undefined) return { ...part, data: objectIn(data).data }
  if (file === undefined) return part
  const { fileWithUri, fileWithBytes, mimeType, name } = objectIn(file)
  const content = fileWithUri === undefined ? { raw: fileWithBytes } : { url: fileWithUri }
  return { ...part, mediaType: mimeType, filename: name, ...content }
}

function partToLegacy(given: unknown): Json {
  const { raw, url, data, mediaType, filename, metadata, ...part } = objectIn(given)
  if (data !== undefined) return dataToLegacy(data, metadata)
  if (raw === undefined && url === undefined) return { ...part, metadata }
  const content = url === undefined ? { fileWithBytes: raw } : { fileWithUri: url }
  return { file: { mimeType: mediaType, name: filename, ...content }, metadata }
}

/** Data was an object then; what is none stands in one, with the mark by which the SDK finds it. */
function dataToLegacy(data: unknown, metadata: unknown): Json {
  if (isObject(data)) return { data: { data }, metadata }
  return { data: { data: { value: data } }, metadata: { ...objectIn(metadata), data_part_compat: true } }
}

/** A task of 1.0, as one of 0.3. */
export function taskToLegacy(given: unknown): Json {
  const { status, artifacts, history, ...task } = objectIn(given)
  return {
    ...task,
    status: statusToLegacy(status),
    artifacts: listIn(artifacts).map(artifactToLegacy),
    history: listIn(history).map(messageToLegacy),
  }
}

function statusToLegacy(given: unknown): Json {
  const { state, message, ...status } = objectIn(given)
  return {
    ...status,
    state: state === 'TASK_STATE_CANCELED' ? 'TASK_STATE_CANCELLED' : state,
    message: message === undefined ? undefined : messageToLegacy(message),
  }
}

function artifactToLegacy(given: unknown): Json {
  const { parts, ...artifact } = objectIn(given)
  return { ...artifact, parts: listIn(parts).map(partToLegacy) }
}

const finalStates: ReadonlySet<unknown> = new Set([
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_INPUT_REQUIRED',
])

/** An event of 1.0, as one of 0.3. */
export function eventToLegacy(given: unknown): Json {
  const { task, statusUpdate, artifactUpdate, message } = objectIn(given)
  if (task !== undefined) return { task: taskToLegacy(task) }
  if (message !== undefined) return { message: messageToLegacy(message) }
  if (artifactUpdate !== undefined) {
    const { artifact, ...update } = objectIn(artifactUpdate)
    return { artifactUpdate: { ...update, artifact: artifactToLegacy(artifact) } }
  }
  const { status, ...update } = objectIn(statusUpdate)
  const final = finalStates.has(objectIn(status).state)
  return { statusUpdate: { ...update, status: statusToLegacy(status), final } }
}

function objectIn(value: unknown): Json {
  return isObject(value) ? value : {}
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
