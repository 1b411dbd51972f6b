import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/json/json.ts'
import {
  joinTurns,
  textOf,
  type ModelRequest,
  type OutputFormat,
  type Part,
  type Reasoning,
  type ToolChoice,
  type Turn,
} from '../../exchange/request.ts'
import {
  AnyJson,
  AnyObject,
  imageUrl,
  inlinePart,
  readCaller,
  refuseField,
  unreadIn,
  type Untranslated,
} from '../fields.ts'
import { camelNames } from './names.ts'
import { lowerTypes } from './schema.ts'

const PartSchema = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
  inlineData: z.looseObject({ mimeType: z.string(), data: z.string() }).optional(),
  fileData: z.looseObject({ fileUri: z.string() }).optional(),
  functionCall: z.looseObject({ id: z.string().optional(), name: z.string(), args: AnyObject.optional() }).optional(),
  functionResponse: z
    .looseObject({ id: z.string().optional(), name: z.string(), response: AnyJson.optional() })
    .optional(),
})
const Content = z.looseObject({ role: z.string().optional(), parts: z.array(PartSchema).default([]) })

const Config = z.looseObject({
  maxOutputTokens: z.int().min(1).optional(),
  temperature: z.number().optional(),
  topP: z.number().optional(),
  topK: z.number().optional(),
  seed: z.int().optional(),
  frequencyPenalty: z.number().optional(),
  presencePenalty: z.number().optional(),
  responseModalities: z.array(z.string()).optional(),
  stopSequences: z.array(z.string()).optional(),
  candidateCount: z.int().min(1).max(8).optional(),
  responseMimeType: z.string().optional(),
  responseSchema: AnyJson.optional(),
  responseJsonSchema: AnyJson.optional(),
  thinkingConfig: z
    .looseObject({ thinkingBudget: z.int().optional(), thinkingLevel: z.string().optional() })
    .optional(),
})

const Body = z.looseObject({
  model: z.string(),
  contents: z.array(Content).min(1),
  systemInstruction: Content.optional(),
  tools: z
    .array(
      z.looseObject({
        functionDeclarations: z
          .array(
            z.looseObject({
              name: z.string(),
              description: z.string().optional(),
              parameters: AnyJson.optional(),
              parametersJsonSchema: AnyJson.optional(),
            }),
          )
          .optional(),
      }),
    )
    .optional(),
  toolConfig: z
    .looseObject({
      functionCallingConfig: z
        .looseObject({ mode: z.string().optional(), allowedFunctionNames: z.array(z.string()).optional() })
        .optional(),
    })
    .optional(),
  generationConfig: Config.optional(),
})

const UNTRANSLATED: Untranslated = {
  // `stream` comes from the address.
  hints: new Set(['stream', 'safetySettings', 'labels', 'serviceTier', 'store']),
  refused: { cachedContent: [''] },
}
const UNTRANSLATED_CONFIG: Untranslated = {
  hints: new Set(['mediaResolution']),
  refused: {
    audioTimestamp: [false],
    enableAffectiveDialog: [false],
    enableEnhancedCivicAnswers: [false],
    imageConfig: [],
    logprobs: [0],
    responseLogprobs: [false],
    routingConfig: [],
    speechConfig: [],
  },
}
/** Google's own tools: an empty object asks for one. */
const OWN_TOOLS: readonly string[] = [
  'codeExecution',
  'computerUse',
  'enterpriseWebSearch',
  'fileSearch',
  'googleMaps',
  'googleSearch',
  'googleSearchRetrieval',
  'mcpServers',
  'retrieval',
  'urlContext',
]

/** Reads a request of generate-content; `model` and `stream` come from its address. */
export function readRequest(given: JsonObject): ModelRequest {
  const body = camelNames(given)
  const { read, ...unread } = readCaller(Body, body, UNTRANSLATED)
  const { generationConfig: settings, tools: entries } = body
  const inside = unreadIn(
    isJsonObject(settings) ? settings : {},
    Object.keys(Config.shape),
    UNTRANSLATED_CONFIG,
    'generationConfig.',
  )
  const otherTools = Array.isArray(entries)
    ? entries.flatMap((entry: Json, i) => unreadTools(entry, `tools[${i}]`))
    : []
  if (read.generationConfig?.responseModalities?.some((kind) => kind !== 'TEXT')) {
    refuseField('generationConfig.responseModalities', 'only TEXT is translated')
  }
  const { generationConfig: config = {}, systemInstruction, toolConfig } = read
  const system = textOf((systemInstruction?.parts ?? []).map(({ text = '' }) => ({ kind: 'text', text })))
  return {
    model: read.model,
    system: system === '' ? [] : [system],
    turns: turnsOf(read.contents),
    tools: (read.tools ?? []).flatMap((tool, i) =>
      (tool.functionDeclarations ?? refuseField(`tools[${i}]`, 'only functionDeclarations are translated')).map(
        ({ name, description, parameters, parametersJsonSchema }) => ({
          name,
          description,
          schema: objectOr(lowerTypes(parametersJsonSchema ?? parameters ?? null), { type: 'object', properties: {} }),
        }),
      ),
    ),
    toolChoice: choiceOf(toolConfig?.functionCallingConfig),
    maxTokens: config.maxOutputTokens,
    temperature: config.temperature,
    topP: config.topP,
    topK: config.topK,
    seed: config.seed,
    frequencyPenalty: config.frequencyPenalty,
    presencePenalty: config.presencePenalty,
    stop: config.stopSequences ?? [],
    format: formatOf(config),
    reasoning: reasoningOf(config.thinkingConfig),
    n: config.candidateCount ?? 1,
    isStreamed: body['stream'] === true,
    leftOut: [...unread.leftOut, ...inside.leftOut, ...otherTools],
    refused: [...unread.refused, ...inside.refused],
  }
}

/** Paths of what else an entry of tools holds. Throws `not_translatable` for a tool of Google. */
function unreadTools(entry: Json, field: string): readonly string[] {
  const others = isJsonObject(entry)
    ? Object.entries(entry).filter(([name, value]) => name !== 'functionDeclarations' && value !== null)
    : []
  return others.map(([name]) => {
    if (OWN_TOOLS.includes(name)) refuseField(`${field}.${name}`, 'only functionDeclarations are translated')
    return `${field}.${name}`
  })
}

/** The calls of tools that have no result yet, in order. Ids may repeat: they are the caller's. */
class WaitingCalls {
  readonly #ids = new Map<number, string>()
  readonly #byName = new Map<string, Set<number>>()
  readonly #byId = new Map<string, Set<number>>()
  #calls = 0

  add(id: string, name: string): void {
    const call = this.#calls++
    this.#ids.set(call, id)
    this.#byName.set(name, (this.#byName.get(name) ?? new Set<number>()).add(call))
    this.#byId.set(id, (this.#byId.get(id) ?? new Set<number>()).add(call))
  }

  /** Takes the first call with an id out. */
  take(id: string): void {
    this.#first(this.#byId.get(id))
  }

  /** Takes the first call of a tool out, and returns its id; undefined when none waits. */
  takeFirst(name: string): string | undefined {
    return this.#first(this.#byName.get(name))
  }

  /** Takes out the first call of a list that still waits. */
  #first(calls: Set<number> | undefined): string | undefined {
    for (const call of calls ?? []) {
      const id = this.#ids.get(call)
      // The other list may have given it before.
      calls?.delete(call)
      if (id === undefined) continue
      this.#ids.delete(call)
      return id
    }
    return undefined
  }
}

/** Ids of calls are optional here: a result then belongs to the first call of its name that has none yet. */
function turnsOf(contents: readonly z.output<typeof Content>[]): readonly Turn[] {
  const waiting = new WaitingCalls()
  let calls = 0
  return joinTurns(
    contents.map(({ role, parts }, i): Turn => ({
      role: role === 'model' ? 'assistant' : 'user',
      parts: parts.flatMap((part, j): readonly Part[] => {
        const { functionCall: call, functionResponse: result, text, thought, thoughtSignature: signature } = part
        const field = `contents[${i}].parts[${j}]`
        if (call) {
          const id = call.id ?? `call_${calls}`
          calls++
          waiting.add(id, call.name)
          return [{ kind: 'tool_call', id, name: call.name, arguments: JSON.stringify(call.args ?? {}), signature }]
        }
        if (result) {
          if (result.id !== undefined) waiting.take(result.id)
          const callId =
            result.id ??
            waiting.takeFirst(result.name) ??
            refuseField(`${field}.functionResponse`, 'has no call before it')
          const said = JSON.stringify(result.response ?? {})
          return [{ kind: 'tool_result', callId, content: [{ kind: 'text', text: said }], isError: false }]
        }
        if (part.inlineData) {
          return [inlinePart(part.inlineData.mimeType, part.inlineData.data, `${field}.inlineData.data`)]
        }
        if (part.fileData) return [imageUrl(part.fileData.fileUri, `${field}.fileData.fileUri`)]
        if (text === undefined) return refuseField(field, 'is not translated for this provider')
        return thought ? [{ kind: 'thinking', text, signature }] : [{ kind: 'text', text }]
      }),
    })),
  )
}

function choiceOf(
  config:
    | { readonly mode?: string | undefined; readonly allowedFunctionNames?: readonly string[] | undefined }
    | undefined,
): ToolChoice | undefined {
  const [name, ...others] = config?.allowedFunctionNames ?? []
  switch (config?.mode) {
    case 'ANY':
      return name !== undefined && others.length === 0 ? { name } : 'required'
    case 'NONE':
      return 'none'
    case 'AUTO':
      return 'auto'
    default:
      return undefined
  }
}

function formatOf(config: NonNullable<z.output<typeof Body>['generationConfig']>): OutputFormat | undefined {
  const { responseMimeType: type, responseJsonSchema, responseSchema } = config
  if (type !== 'application/json') return undefined
  const schema = responseJsonSchema ?? lowerTypes(responseSchema ?? null)
  return isJsonObject(schema) ? { kind: 'schema', name: 'answer', schema } : { kind: 'json' }
}

const LEVELS = { minimal: 'minimal', low: 'low', medium: 'medium', high: 'high' } as const

function reasoningOf(
  config: { readonly thinkingBudget?: number | undefined; readonly thinkingLevel?: string | undefined } | undefined,
): Reasoning | undefined {
  const level = config?.thinkingLevel?.toLowerCase()
  if (level === 'minimal' || level === 'low' || level === 'medium' || level === 'high') {
    return { kind: 'effort', effort: LEVELS[level] }
  }
  const tokens = config?.thinkingBudget
  // -1 leaves it to the model.
  return tokens === undefined || tokens < 0 ? undefined : { kind: 'budget', tokens }
}

function objectOr(value: Json, otherwise: JsonObject): JsonObject {
  return isJsonObject(value) ? value : otherwise
}
