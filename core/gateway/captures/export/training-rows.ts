import type { ExportedCapture } from './export-row.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'

/** A capture with its body. */
type WithBody = ExportedCapture & { readonly body: JsonObject | null }

/** The output to learn: the reviewer's where there is one. */
export function outputOf({ fixedOutput, response }: ExportedCapture): string {
  return fixedOutput ?? response
}

/** A capture as `{input, output}`; the input is the newest turn of the user where the prompt is a conversation. */
export function pairRow(capture: WithBody): JsonObject {
  const turns = turnsOf(capture.body)
  const asked = turns.filter(({ role }) => role !== 'assistant')
  const [only] = asked
  const input = asked.length === 1 && turns.length === 1 && only !== undefined ? only.content : capture.prompt
  return { input, output: outputOf(capture) }
}

/** A capture in the form that OpenAI's fine-tuning takes: `{messages: [{role, content}]}`, the output as the last one. */
export function fineTuningRow(capture: WithBody): JsonObject {
  const turns = turnsOf(capture.body)
  const asked = turns.length === 0 ? [{ role: 'user', content: capture.prompt }] : turns
  // The stored conversation may hold the answer already.
  const last = asked.at(-1)
  const before = last?.role === 'assistant' && last.content === capture.response ? asked.slice(0, -1) : asked
  const messages = [...before, { role: 'assistant', content: outputOf(capture) }]
  return { messages: messages.map(({ role, content }) => ({ role, content })) }
}

interface Turn {
  readonly role: string
  readonly content: string
}

/** The turns of a body of any dialect that have texts. */
function turnsOf(body: JsonObject | null): readonly Turn[] {
  if (body === null) return []
  const system = contentText(body['system'] ?? body['instructions'] ?? body['systemInstruction'])
  const given = body['messages'] ?? body['input'] ?? body['contents']
  const turns = Array.isArray(given) ? (given as readonly Json[]) : given === undefined ? [] : [given]
  return [
    ...(system === '' ? [] : [{ role: 'system', content: system }]),
    ...turns.flatMap((turn) => {
      const content = contentText(turn)
      if (content === '') return []
      const role = isJsonObject(turn) && typeof turn['role'] === 'string' ? turn['role'] : 'user'
      return [{ role: role === 'model' ? 'assistant' : role, content }]
    }),
  ]
}

function contentText(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value)) {
    return (value as readonly Json[])
      .map((each) => contentText(each))
      .filter((text) => text !== '')
      .join('\n')
  }
  if (!isJsonObject(value)) return ''
  if (typeof value['text'] === 'string') return value['text']
  return contentText(value['content'] ?? value['parts'])
}
