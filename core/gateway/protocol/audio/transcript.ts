import { isJsonObject, type Json } from '../../../kernel/json/json.ts'
import { ProviderError } from '../../providers/provider-error.ts'
import { usageOf, type ModelAnswer, type Usage } from '../exchange/answer.ts'
import { parseJson } from '../upstream/refusal.ts'

/** Media types of transcripts, and of sounds. What is of another type is no answer to such a call. */
const TRANSCRIPT = /^(?:application\/json|application\/x-subrip|text\/(?:plain|vtt|srt))\b/i
const SOUND = /^(?:audio\/[\w.+-]+|application\/octet-stream)\b/i

/** Returns the media type of a transcript. Throws `ProviderError` `invalid_response`. */
export function requireTranscript(headers: Readonly<Record<string, string>>): string {
  return requireType(headers, TRANSCRIPT, 'no transcript')
}

/** Returns the media type of a sound. Throws `ProviderError` `invalid_response`. */
export function requireSound(headers: Readonly<Record<string, string>>): string {
  return requireType(headers, SOUND, 'no sound')
}

function requireType(headers: Readonly<Record<string, string>>, form: RegExp, what: string): string {
  const type = headers['content-type'] ?? ''
  if (form.test(type) && type.length <= 200) return type
  throw new ProviderError('invalid_response', `the provider answered with ${what}`)
}

/** The content of a transcript. */
interface ReadTranscript {
  readonly text: string
  /** Null when the provider did not count tokens, as for models that are billed by the minute. */
  readonly usage: Usage | null
}

/** Reads an answer of transcriptions and translations in any of its forms. Throws `ProviderError` `invalid_response`. */
export function readTranscript(mediaType: string, answer: string): ReadTranscript {
  if (!/^application\/json/i.test(mediaType)) return { text: spokenLines(answer), usage: null }
  const body = parseJson(answer)
  const text = isJsonObject(body) ? body['text'] : undefined
  if (!isJsonObject(body) || typeof text !== 'string') {
    throw new ProviderError('invalid_response', 'the provider answered without a text')
  }
  return { text, usage: readAudioUsage(body['usage']) }
}

/** The tokens that a call of sound used; null where it has another measure. */
export function readAudioUsage(usage: Json | undefined): Usage | null {
  if (!isJsonObject(usage ?? null)) return null
  const { input_tokens: input, output_tokens: output } = usage as Readonly<Record<string, Json>>
  return isCount(input) && isCount(output) ? usageOf({ inputTokens: input, outputTokens: output }) : null
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** A transcript as the answer of a model. */
export function transcriptAnswer({ text, usage }: ReadTranscript, model: string): ModelAnswer {
  return { id: '', model, usage, choices: [{ parts: [{ kind: 'text', text }], finish: 'stop' }] }
}

/** Lines of SubRip and WebVTT without numbers, times and headings. */
function spokenLines(text: string): string {
  if (!/-->/.test(text)) return text.trim()
  const lines = text.split(/\r?\n/).filter((line) => !/^(?:\d+|WEBVTT.*|.*-->.*|\s*)$/.test(line))
  return lines.join('\n')
}
