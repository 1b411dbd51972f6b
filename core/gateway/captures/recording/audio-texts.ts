import { audioOfCall } from '../../protocol/audio/detect.ts'
import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import type { CaptureAudio } from './audio-facts.ts'

/** The stored texts of a capture with sound. */
export interface StoredTexts {
  readonly audio: CaptureAudio
  readonly prompt: string
  readonly response: string
  /** Null for a large one, which is stored elsewhere. */
  readonly body: Json
  /** The output that a reviewer wrote. */
  readonly fixedOutput: string | null
}

/** Returns the transcript of the sound of a capture; empty where it is not stored. */
export function transcriptOf({ audio, prompt, response, body }: StoredTexts): string {
  switch (audio.kind) {
    case 'speech':
      return prompt
    case 'transcriptions':
    case 'translations':
      return response
    case 'message':
      return isJsonObject(body) ? (audioOfCall(body)?.transcript ?? '') : ''
    case 'file':
      return ''
  }
}

/** Returns the answer to the spoken text; empty without an answer. For a transcript it is the text of a reviewer. */
export function answerOf({ audio, response, fixedOutput }: StoredTexts): string {
  return fixedOutput ?? (audio.kind === 'message' ? response : '')
}
