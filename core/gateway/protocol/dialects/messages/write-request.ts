import type { JsonObject } from '../../../../kernel/json/json.ts'
import type { ImagePart, ModelRequest, Part, Reasoning, TextPart, Turn } from '../../exchange/request.ts'
import type { WireShape } from '../dialect.ts'
import { refuseField, sentArguments } from '../fields.ts'

/** Bound on the output of a caller who sets none; the dialect requires one. */
const DEFAULT_MAX_TOKENS = 4096
/** In place of a mode, which the dialect has for answers by a schema alone. */
const JSON_ALONE = 'Answer with JSON alone: no fence around it and no text beside it.'
const LEAST_BUDGET = 1024
/** Tokens of reasoning by effort. */
const BUDGETS = { none: 0, minimal: 1024, low: 2048, medium: 8192, high: 16_384, xhigh: 32_768 }

/** Writes a request of messages. */
export function writeRequest(request: ModelRequest, shape: WireShape): JsonObject {
  const { model, turns, stop, maxTokens, temperature, topP, topK } = request
  const system = isJsonAsked(request, shape) ? [...request.system, JSON_ALONE] : request.system
  const budget = budgetOf(request)
  const mostTokens = maxTokens ?? DEFAULT_MAX_TOKENS + budget
  const isThinking = budget > 0
  return {
    model,
    max_tokens: mostTokens,
    ...(system.length > 0 && { system: system.join('\n\n') }),
    messages: turns.map(messageOf),
    // With reasoning on, the dialect takes neither.
    ...(temperature !== undefined &&
      shape.sendsTemperature &&
      !isThinking && { temperature: Math.min(1, temperature) }),
    ...(topK !== undefined && !isThinking && { top_k: topK }),
    ...(topP !== undefined && temperature === undefined && !isThinking && { top_p: topP }),
    ...(stop.length > 0 && { stop_sequences: stop }),
    ...(isThinking && { thinking: { type: 'enabled', budget_tokens: Math.min(budget, mostTokens - 1) } }),
    ...toolFields(request, shape),
    ...(request.isStreamed && { stream: true }),
  }
}

function isJsonAsked({ format }: ModelRequest, { structure }: WireShape): boolean {
  return format?.kind === 'json' && structure !== 'words'
}

/**
 * The name of the tool whose input is the structured answer; undefined when the answer is text. Schemas of tools may
 * recurse and all models know them, but a required tool excludes other tools and reasoning.
 */
export function answerTool(request: ModelRequest | null): string | undefined {
  if (request?.format?.kind !== 'schema') return undefined
  return request.tools.length === 0 && budgetOf(request) === 0 ? request.format.name : undefined
}

function toolFields(request: ModelRequest, { structure }: WireShape): JsonObject {
  const { format, tools, toolChoice, allowsParallelCalls } = request
  const name = answerTool(request)
  const schema = format?.kind === 'schema' && structure === 'schema' ? format.schema : undefined
  if (schema !== undefined && name !== undefined) {
    return {
      tools: [{ name, description: 'Gives the answer.', input_schema: schema }],
      tool_choice: { type: 'tool', name },
    }
  }
  return {
    ...(schema !== undefined && { output_config: { format: { type: 'json_schema', schema } } }),
    ...(tools.length > 0 && {
      tools: tools.map((tool) => ({
        name: tool.name,
        ...(tool.description !== undefined && { description: tool.description }),
        input_schema: { type: 'object', ...tool.schema },
        ...(tool.isStrict === true && { strict: true }),
      })),
      ...((toolChoice !== undefined || allowsParallelCalls === false) && {
        tool_choice: {
          ...choiceOf(toolChoice ?? 'auto'),
          ...(allowsParallelCalls === false && toolChoice !== 'none' && { disable_parallel_tool_use: true }),
        },
      }),
    }),
  }
}

function choiceOf(choice: NonNullable<ModelRequest['toolChoice']>): JsonObject {
  if (typeof choice === 'object') return { type: 'tool', name: choice.name }
  return { type: choice === 'required' ? 'any' : choice }
}

/** Tokens of reasoning; 0 for none, and where the dialect refuses it. */
function budgetOf({ reasoning, toolChoice, turns, maxTokens }: ModelRequest): number {
  const asked = tokensOf(reasoning)
  const isForced = toolChoice === 'required' || typeof toolChoice === 'object'
  const room = maxTokens === undefined ? asked : Math.min(asked, maxTokens - 1)
  if (room < LEAST_BUDGET || isForced) return 0
  // A turn that called tools has to begin with its signed reasoning, which other dialects do not carry.
  const lacksThinking = turns.some(
    ({ parts }) => parts.some(({ kind }) => kind === 'tool_call') && !parts.some(isSigned),
  )
  return lacksThinking ? 0 : room
}

function tokensOf(reasoning: Reasoning | undefined): number {
  if (reasoning === undefined) return 0
  return reasoning.kind === 'budget' ? reasoning.tokens : BUDGETS[reasoning.effort]
}

function isSigned(part: Part): boolean {
  return part.kind === 'sealed_thinking' || (part.kind === 'thinking' && part.signature !== undefined)
}

/** Results of tools come first, as the dialect wants them. */
function messageOf({ role, parts }: Turn): JsonObject {
  const blocks = parts.flatMap(blocksOf)
  const results = blocks.filter(({ type }) => type === 'tool_result')
  const rest = blocks.filter(({ type }) => type !== 'tool_result')
  const [only] = parts
  const isPlain = parts.length === 1 && only?.kind === 'text'
  return { role, content: isPlain ? only.text : [...results, ...rest] }
}

function blocksOf(part: Part): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
      return part.text === '' ? [] : [plainBlock(part)]
    case 'image':
      return [plainBlock(part)]
    case 'file':
      return [
        {
          type: 'document',
          source: { type: 'base64', media_type: part.mediaType, data: part.base64 },
          ...(part.name !== undefined && { title: part.name }),
        },
      ]
    case 'audio':
      return refuseField(part.field, 'this provider takes no sound')
    case 'thinking':
      return part.signature === undefined ? [] : [{ type: 'thinking', thinking: part.text, signature: part.signature }]
    case 'sealed_thinking':
      return [{ type: 'redacted_thinking', data: part.data }]
    case 'tool_call':
      return [{ type: 'tool_use', id: part.id, name: part.name, input: sentArguments(part) }]
    case 'tool_result':
      return [
        {
          type: 'tool_result',
          tool_use_id: part.callId,
          content: part.content.map(plainBlock),
          ...(part.isError && { is_error: true }),
        },
      ]
  }
}

function plainBlock(part: TextPart | ImagePart): JsonObject {
  if (part.kind === 'text') return { type: 'text', text: part.text }
  const { image } = part
  return {
    type: 'image',
    source:
      image.kind === 'url'
        ? { type: 'url', url: image.url }
        : { type: 'base64', media_type: image.mediaType, data: image.base64 },
  }
}
