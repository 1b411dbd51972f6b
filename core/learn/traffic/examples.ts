import type { JsonObject, Json } from '../../kernel/json/json.ts'
import { isJsonObject } from '../../kernel/json/json.ts'
import { requestTexts } from '../../gateway/captures/texts.ts'

/** An approved capture. */
export interface ApprovedCapture {
  readonly id: string
  readonly prompt: string
  readonly body: JsonObject | null
  readonly response: string
  /** What a reviewer wrote in place of the response. */
  readonly fixedOutput: string | null
}

/** A row of a compile. */
export interface CaptureExample {
  readonly id: string
  readonly input: Json
  readonly output: Json
}

/**
 * An approved capture as an example: the newest turn of the user, and the answer, the reviewer's where there is one. Texts
 * that are a JSON object become that object, as the gateway gives them to an artifact.
 */
export function exampleOf({ id, prompt, body, response, fixedOutput }: ApprovedCapture): CaptureExample {
  const { lastUser } = requestTexts(body ?? {})
  return { id, input: valueIn(lastUser === '' ? prompt : lastUser), output: valueIn(fixedOutput ?? response) }
}

function valueIn(text: string): Json {
  if (!text.startsWith('{')) return text
  try {
    const value: Json = JSON.parse(text)
    return isJsonObject(value) ? value : text
  } catch {
    return text
  }
}
