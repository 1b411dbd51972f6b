import { jsonParts } from '../../../kernel/json/json-pieces.ts'
import { BEGINNING_CHARS, type CaptureContent, type NewCapture } from '../capture.ts'
import { bytesIn } from '../spill-frames.ts'

/** A large content as a capture carries it. */
type PackedContent = Required<Pick<NewCapture, 'content' | 'packed'>>

/** Packs a large content: as JSON in parts, made while the event loop turns, beside the beginnings of its texts. */
export async function packContent(content: CaptureContent): Promise<PackedContent> {
  return packedAs(content, await jsonParts({ ...content }))
}

function packedAs({ prompt, response }: CaptureContent, packed: readonly Uint8Array[]): PackedContent {
  const short = (text: string): string => text.slice(0, BEGINNING_CHARS).toWellFormed()
  return { content: { prompt: short(prompt), response: short(response), body: null, answer: null }, packed }
}

/** A capture whose content is packed where it is large, and the bytes of its content. */
interface MeasuredCapture {
  readonly capture: NewCapture
  readonly bytes: number
}

/** Measures a capture by the JSON of its content, made while the event loop turns; more than `inlineBytes` are packed. */
export async function measureCapture(capture: NewCapture, inlineBytes: number): Promise<MeasuredCapture> {
  const { content } = capture
  if (content === null) return { capture, bytes: 0 }
  const parts = await jsonParts({ ...content })
  const bytes = bytesIn(parts)
  return { capture: bytes > inlineBytes ? { ...capture, ...packedAs(content, parts) } : capture, bytes }
}
