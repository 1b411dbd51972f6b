import type { JsonObject } from '../../../../kernel/json/json.ts'
import {
  textOf,
  toolNames,
  type ImagePart,
  type ModelRequest,
  type Part,
  type TextPart,
} from '../../exchange/request.ts'
import type { WireShape } from '../dialect.ts'
import { objectIn, sentArguments } from '../fields.ts'
import { refersToItself } from './schema.ts'

/** Tokens of reasoning by effort. */
const BUDGETS = { none: 0, minimal: 512, low: 1024, medium: 8192, high: 24_576, xhigh: 32_768 }
/** Google's word for a call whose reasoning another provider made: newer models require a signature. */
const FOREIGN_SIGNATURE = 'skip_thought_signature_validator'

/** Models that take no JSON mode beside functions. */
const BEFORE_THREE = /^gemini-[12]\b/

/**
 * Writes a request of generate-content. It does not take recursive schemas: such an answer is requested as plain JSON; one that may come
 * beside functions of a model that takes neither so, in the system text.
 */
export function writeRequest(request: ModelRequest, shape: WireShape): JsonObject {
  const { turns, tools, stop, maxTokens, temperature, topP, topK, seed, n, reasoning, toolChoice } = request
  const names = toolNames(turns)
  const system = isAskedInWords(request, shape) ? [...request.system, inWords(request)] : request.system
  return {
    ...(system.length > 0 && { systemInstruction: { parts: system.map((text) => ({ text })) } }),
    contents: turns.map(({ role, parts }) => ({
      role: role === 'assistant' ? 'model' : 'user',
      parts: parts.flatMap((part) => partsOf(part, names)),
    })),
    ...(tools.length > 0 && {
      tools: [
        {
          functionDeclarations: tools.map(({ name, description, schema }) => ({
            name,
            ...(description !== undefined && { description }),
            parametersJsonSchema: schema,
          })),
        },
      ],
      ...(toolChoice !== undefined && { toolConfig: { functionCallingConfig: choiceOf(toolChoice) } }),
    }),
    generationConfig: {
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(temperature !== undefined && shape.sendsTemperature && { temperature: Math.min(2, temperature) }),
      ...(topP !== undefined && { topP }),
      ...(topK !== undefined && { topK }),
      ...(seed !== undefined && { seed }),
      ...(stop.length > 0 && { stopSequences: stop }),
      ...(n > 1 && { candidateCount: n }),
      ...(reasoning !== undefined && {
        thinkingConfig: thinkingOf(reasoning.kind === 'budget' ? reasoning.tokens : BUDGETS[reasoning.effort]),
      }),
      ...responseFormat(request, shape),
    },
  }
}

/** Without being asked for its thoughts, Google bills them and keeps them. */
function thinkingOf(tokens: number): JsonObject {
  return { thinkingBudget: tokens, ...(tokens > 0 && { includeThoughts: true }) }
}

function choiceOf(choice: NonNullable<ModelRequest['toolChoice']>): JsonObject {
  if (typeof choice === 'object') return { mode: 'ANY', allowedFunctionNames: [choice.name] }
  return { mode: { auto: 'AUTO', none: 'NONE', required: 'ANY' }[choice] }
}

function partsOf(part: Part, names: ReadonlyMap<string, string>): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
    case 'image':
      return [plainPart(part)]
    case 'file':
    case 'audio':
      return [{ inlineData: { mimeType: part.mediaType, data: part.base64 } }]
    case 'thinking':
      return []
    case 'sealed_thinking':
      return []
    case 'tool_call':
      return [
        {
          functionCall: { id: part.id, name: part.name, args: sentArguments(part) },
          thoughtSignature: part.signature ?? FOREIGN_SIGNATURE,
        },
      ]
    case 'tool_result': {
      const response = objectIn(textOf(part.content))
      const images = part.content.flatMap((one) => (one.kind === 'image' ? [plainPart(one)] : []))
      return [
        {
          functionResponse: {
            id: part.callId,
            name: names.get(part.callId) ?? part.callId,
            response: part.isError ? { error: response } : response,
          },
        },
        ...images,
      ]
    }
  }
}

function plainPart(part: TextPart | ImagePart): JsonObject {
  if (part.kind === 'text') return { text: part.text }
  const { image } = part
  return image.kind === 'url'
    ? { fileData: { fileUri: image.url } }
    : { inlineData: { mimeType: image.mediaType, data: image.base64 } }
}

/** True for a structured answer that the system text asks for: the last shape, and the first one where JSON mode is known to be refused. */
function isAskedInWords({ format, tools, toolChoice, model }: ModelRequest, { structure }: WireShape): boolean {
  if (format === undefined) return false
  const mustCall = toolChoice === 'required' || typeof toolChoice === 'object'
  return structure === 'words' || (tools.length > 0 && (mustCall || BEFORE_THREE.test(model)))
}

function inWords({ format, tools }: ModelRequest): string {
  const start = tools.length > 0 ? 'When you answer without a function, answer' : 'Answer'
  const schema = format?.kind === 'schema' ? ` It matches this JSON schema: ${JSON.stringify(format.schema)}` : ''
  return `${start} with JSON alone: no fence around it and no text beside it.${schema}`
}

function responseFormat(request: ModelRequest, shape: WireShape): JsonObject {
  const { format } = request
  if (format === undefined || isAskedInWords(request, shape)) return {}
  const isSent = format.kind === 'schema' && shape.structure === 'schema' && !refersToItself(format.schema)
  return { responseMimeType: 'application/json', ...(isSent ? { responseJsonSchema: format.schema } : {}) }
}
