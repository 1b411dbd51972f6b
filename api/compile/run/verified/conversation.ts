import { PROGRAM_INSTRUCTIONS, type Verifier } from '../../../../core/compile/runtime/verified/judge-sample.ts'
import type { VerifiedBody } from '../../../../core/compile/wire/dispatch/verified.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import { jsonOf } from '../../../gateway/inference/declaration.ts'

/** The conversation as the receipt's `input_hash` covers it: as the caller sent it. */
export function promptOf({ messages, system }: VerifiedBody): JsonObject {
  return jsonOf({ messages, system: system ?? null })
}

/**
 * The request of each sample: passages and system texts of the conversation lead, and the language follows where a program
 * is asked for.
 */
export function requestOf(
  body: VerifiedBody,
  { verifier, grounding }: { readonly verifier: Verifier; readonly grounding: string },
): JsonObject & { readonly model: string } {
  const said = body.messages.flatMap(({ role, content }) => (role === 'system' ? [textOf(content)] : []))
  const system = [
    ...(grounding === '' ? [] : [grounding]),
    ...(body.system === undefined ? [] : [textOf(body.system)]),
    ...said,
    ...(verifier.kind === 'program' ? [PROGRAM_INSTRUCTIONS] : []),
  ]
  return {
    ...jsonOf({
      messages: body.messages.filter(({ role }) => role !== 'system'),
      max_tokens: body.max_tokens,
      temperature: body.temperature,
      ...(system.length > 0 && { system: system.join('\n\n') }),
      ...(body.corpus_namespace !== undefined && { corpus_namespace: body.corpus_namespace }),
    }),
    model: body.model,
  }
}

/** Returns the text of a turn: its text blocks, one a line. */
export function textOf(content: VerifiedBody['messages'][number]['content']): string {
  if (typeof content === 'string') return content
  return content.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n')
}
