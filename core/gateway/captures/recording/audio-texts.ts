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

/** What is said in the sound of a capture; empty where that is not stored. */
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

/** What was answered to what is said; empty without an answer. Of a transcript that is what a reviewer wrote. */
export function answerOf({ audio, response, fixedOutput }: StoredTexts): string {
  return fixedOutput ?? (audio.kind === 'message' ? response : '')
}
