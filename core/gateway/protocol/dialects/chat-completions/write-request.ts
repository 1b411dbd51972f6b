import type { Json, JsonObject } from '../../../../kernel/json/json.ts'
import { textOf, type ModelRequest, type Part, type SaidPart, type Turn } from '../../exchange/request.ts'
import type { WireShape } from '../dialect.ts'
import { soundForm, urlOfImage } from '../fields.ts'

/** Writes a request of chat completions. */
export function writeRequest(request: ModelRequest, shape: WireShape): JsonObject {
  const { model, system, turns, tools, toolChoice, stop, maxTokens, temperature, topP, seed, n, reasoning } = request
  return {
    model,
    messages: [...system.map((text) => ({ role: 'system', content: text })), ...turns.flatMap(messagesOf)],
    ...(maxTokens !== undefined && { [shape.maxTokensField]: maxTokens }),
    ...(temperature !== undefined && shape.sendsTemperature && { temperature: Math.min(2, temperature) }),
    ...(topP !== undefined && { top_p: topP }),
    ...(seed !== undefined && { seed }),
    ...(request.frequencyPenalty && { frequency_penalty: request.frequencyPenalty }),
    ...(request.presencePenalty && { presence_penalty: request.presencePenalty }),
    ...(stop.length > 0 && { stop }),
    ...(n > 1 && { n }),
    ...(reasoning !== undefined && { reasoning_effort: effortOf(reasoning) }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, schema, isStrict }) => ({
        type: 'function',
        function: {
          name,
          ...(description !== undefined && { description }),
          parameters: schema,
          ...(isStrict !== undefined && { strict: isStrict }),
        },
      })),
      ...(toolChoice !== undefined && {
        tool_choice:
          typeof toolChoice === 'string' ? toolChoice : { type: 'function', function: { name: toolChoice.name } },
      }),
      ...(request.allowsParallelCalls !== undefined && { parallel_tool_calls: request.allowsParallelCalls }),
    }),
    ...responseFormat(request, shape),
    ...(request.isStreamed && { stream: true, stream_options: { include_usage: true } }),
  }
}

/** Tool results come before what the same side says next. */
function messagesOf({ role, parts }: Turn): readonly JsonObject[] {
  if (role === 'assistant') {
    const text = textOf(parts)
    const calls = parts.flatMap((part) =>
      part.kind === 'tool_call'
        ? [{ id: part.id, type: 'function', function: { name: part.name, arguments: part.arguments || '{}' } }]
        : [],
    )
    return [
      { role, content: text === '' && calls.length > 0 ? null : text, ...(calls.length > 0 && { tool_calls: calls }) },
    ]
  }
  const results = parts.flatMap((part) => (part.kind === 'tool_result' ? [part] : []))
  // Results are texts here: their images follow as the user's.
  const images = results.flatMap(({ content }) => content.filter((part) => part.kind === 'image'))
  const said: readonly SaidPart[] = [...images, ...parts.filter((part) => isSaid(part))]
  return [
    ...results.map(({ callId, content }) => ({ role: 'tool', tool_call_id: callId, content: textOf(content) })),
    ...(said.length > 0 ? [{ role, content: contentOf(said) }] : []),
  ]
}

function isSaid(part: Part): part is SaidPart {
  return part.kind === 'text' || part.kind === 'image' || part.kind === 'file' || part.kind === 'audio'
}

function contentOf(parts: readonly SaidPart[]): Json {
  const [only] = parts
  if (parts.length === 1 && only?.kind === 'text') return only.text
  return parts.map((part): Json => {
    switch (part.kind) {
      case 'text':
        return { type: 'text', text: part.text }
      case 'image':
        return { type: 'image_url', image_url: { url: urlOfImage(part) } }
      case 'file': {
        const { name = 'document.pdf', mediaType, base64 } = part
        return { type: 'file', file: { filename: name, file_data: `data:${mediaType};base64,${base64}` } }
      }
      case 'audio':
        return { type: 'input_audio', input_audio: { data: part.base64, format: soundForm(part) } }
    }
  })
}

function effortOf(reasoning: NonNullable<ModelRequest['reasoning']>): string {
  if (reasoning.kind === 'effort') return reasoning.effort
  const { tokens } = reasoning
  return tokens === 0 ? 'none' : tokens <= 2048 ? 'low' : tokens <= 8192 ? 'medium' : 'high'
}

function responseFormat({ format }: ModelRequest, { structure }: WireShape): JsonObject {
  if (format === undefined || structure === 'words') return {}
  if (format.kind === 'json' || structure === 'json') return { response_format: { type: 'json_object' } }
  const { name, schema, isStrict } = format
  return {
    response_format: {
      type: 'json_schema',
      json_schema: { name, ...(isStrict !== undefined && { strict: isStrict }), schema },
    },
  }
}
