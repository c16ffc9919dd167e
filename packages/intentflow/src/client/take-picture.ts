import { ActionError } from './action-runs.ts'

type Values = Readonly<Record<string, unknown>>

/** What a response may hold, with what base64 and JSON add. */
const maxPictureBytes = 44_000

/** The longest sides that are tried, until the picture is small enough. */
const sides = [1_280, 960, 720, 480, 320, 160]

/** A picture by the camera or, where there is none, one that the user chooses; small enough to be sent. */
export async function takePicture(config: Values, signal: AbortSignal): Promise<Values> {
  const { mode = 'photo', facing = 'environment', maxBytes } = config
  if (mode !== 'photo') throw new ActionError('UNSUPPORTED', `This browser cannot take a ${String(mode)}.`)
  const max = Math.min(typeof maxBytes === 'number' ? maxBytes : maxPictureBytes, maxPictureBytes)
  const source = await fromCamera(String(facing), signal).catch((error: unknown) => {
    // A camera that is there and was refused is an answer.
    if (error instanceof DOMException && error.name === 'NotAllowedError') throw error
    return fromFile(signal)
  })
  return reduced(source, max)
}

async function fromCamera(facingMode: string, signal: AbortSignal): Promise<ImageBitmap> {
  const { mediaDevices } = navigator as Partial<Navigator>
  if (mediaDevices === undefined) throw new ActionError('UNSUPPORTED', 'This browser has no camera.')
  const stream = await mediaDevices.getUserMedia({ video: { facingMode } })
  try {
    signal.throwIfAborted()
    const video = document.createElement('video')
    video.muted = true
    video.srcObject = stream
    await video.play()
    return await createImageBitmap(video)
  } finally {
    for (const track of stream.getTracks()) track.stop()
  }
}

/** Browsers open the dialog only while the user has just done something. */
function fromFile(signal: AbortSignal): Promise<ImageBitmap> {
  const { promise, resolve, reject } = Promise.withResolvers<ImageBitmap>()
  const input = document.createElement('input')
  input.type = 'file'
  input.accept = 'image/*'
  input.capture = 'environment'
  input.addEventListener('cancel', () => reject(new ActionError('CANCELLED', 'No picture was chosen.')))
  input.addEventListener('change', () => {
    const [file] = input.files ?? []
    if (file !== undefined) createImageBitmap(file).then(resolve, reject)
  })
  signal.addEventListener('abort', () => reject(new ActionError('CANCELLED', 'No picture was chosen in time.')))
  input.click()
  return promise
}

async function reduced(source: ImageBitmap, max: number): Promise<Values> {
  for (const side of sides) {
    const scale = Math.min(1, side / Math.max(source.width, source.height))
    const [width, height] = [source.width, source.height].map((length) => Math.max(1, Math.round(length * scale)))
    const canvas = new OffscreenCanvas(width ?? 1, height ?? 1)
    canvas.getContext('2d')?.drawImage(source, 0, 0, canvas.width, canvas.height)
    const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.8 })
    if (blob.size > max) continue
    return { mimeType: 'image/jpeg', width: canvas.width, height: canvas.height, data: await base64Of(blob) }
  }
  throw new ActionError('FAILED', 'The picture cannot be made small enough.')
}

async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}
