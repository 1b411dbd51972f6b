import { z } from 'zod'
import type { Json, JsonObject } from '../../../../kernel/json/json.ts'
import { usageOf, type AnswerPart, type Finish, type ModelAnswer, type Usage } from '../../exchange/answer.ts'
import type { AnswerFacts } from '../dialect.ts'
import { Count, Text } from '../fields.ts'
import { readReply } from '../read-body.ts'

/** A response, as far as it is read. */
export const ResponseBody = z.looseObject({
  id: Text,
  model: Text,
  status: z.string().nullish(),
  output: z.array(
    z.looseObject({
      type: z.string(),
      content: z.array(z.looseObject({ text: Text })).nullish(),
      call_id: Text,
      name: Text,
      arguments: Text,
    }),
  ),
  incomplete_details: z.looseObject({ reason: z.string().nullish() }).nullish(),
  usage: z
    .looseObject({
      input_tokens: Count,
      output_tokens: Count,
      input_tokens_details: z.looseObject({ cached_tokens: Count.nullish() }).nullish(),
      output_tokens_details: z.looseObject({ reasoning_tokens: Count.nullish() }).nullish(),
    })
    .nullish(),
})

/** Reads an answer of responses. */
export function readAnswer(body: Json): ModelAnswer {
  const response = readReply(ResponseBody, body)
  const parts = response.output.flatMap((item): readonly AnswerPart[] => {
    if (item.type === 'message') {
      return [{ kind: 'text', text: (item.content ?? []).map(({ text }) => text).join('') }]
    }
    if (item.type !== 'function_call') return []
    return [{ kind: 'tool_call', id: item.call_id, name: item.name, arguments: item.arguments }]
  })
  return {
    id: response.id,
    model: response.model,
    choices: [{ parts, finish: readFinish(response) }],
    usage: readUsage(response),
  }
}

/** Reads why a response ended. */
export function readFinish({ status, incomplete_details: why, output }: z.output<typeof ResponseBody>): Finish {
  if (status === 'incomplete') return why?.reason === 'content_filter' ? 'refusal' : 'length'
  if (status !== 'completed') return 'other'
  return output.some(({ type }) => type === 'function_call') ? 'tool_calls' : 'stop'
}

/** Reads the counts. */
export function readUsage({ usage }: z.output<typeof ResponseBody>): Usage | null {
  if (!usage) return null
  return usageOf({
    inputTokens: usage.input_tokens,
    cachedTokens: usage.input_tokens_details?.cached_tokens ?? 0,
    outputTokens: usage.output_tokens,
    reasoningTokens: usage.output_tokens_details?.reasoning_tokens ?? 0,
  })
}

/** Writes an answer of responses: its first sample. Its ids are ours: the provider's name nothing that can be asked for. */
export function writeAnswer({ model, choices, usage }: ModelAnswer, facts: AnswerFacts): JsonObject {
  const [choice] = choices
  const items: JsonObject[] = []
  for (const part of choice?.parts ?? []) items.push(...itemOf(part, itemName(facts, items.length)))
  return responseOf({ ...facts, model: model || facts.model }, { finish: choice?.finish ?? 'other', items, usage })
}

/** The name of an item by its place: clients keep items of all responses together by their ids. */
export function itemName({ id }: Pick<AnswerFacts, 'id'>, place: number): string {
  return `${id.replace(/^resp_/, '')}_${place}`
}

/** A response document, whole or under way (`finish` null). */
export function responseOf(
  facts: Pick<AnswerFacts, 'id' | 'model' | 'createdS' | 'isKept' | 'previousId'>,
  state: { readonly finish: Finish | null; readonly items: readonly JsonObject[]; readonly usage: Usage | null },
): JsonObject {
  const { finish, items, usage } = state
  const reason = finish === 'length' ? 'max_output_tokens' : finish === 'refusal' ? 'content_filter' : null
  return {
    id: facts.id,
    object: 'response',
    created_at: facts.createdS,
    status: finish === null ? 'in_progress' : reason === null ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: reason === null ? null : { reason },
    instructions: null,
    max_output_tokens: null,
    model: facts.model,
    output: items,
    parallel_tool_calls: true,
    previous_response_id: facts.previousId ?? null,
    store: facts.isKept === true,
    temperature: null,
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    metadata: {},
    usage: usage && {
      input_tokens: usage.inputTokens,
      input_tokens_details: { cached_tokens: usage.cachedTokens },
      output_tokens: usage.outputTokens,
      output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
      total_tokens: usage.inputTokens + usage.outputTokens,
    },
  }
}

/** Starts of the ids of output items. */
const ITEM_PREFIX = { text: 'msg_', thinking: 'rs_', tool_call: 'fc_' } as const

/** The id of the output item of a part. */
export function itemId(kind: keyof typeof ITEM_PREFIX, name: string): string {
  return `${ITEM_PREFIX[kind]}${name}`
}

/** The output item of a part; `name` makes its id. */
export function itemOf(part: AnswerPart, name: string): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
      return [
        {
          id: itemId('text', name),
          type: 'message',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: part.text, annotations: [], logprobs: [] }],
        },
      ]
    case 'thinking':
      return [{ id: itemId('thinking', name), type: 'reasoning', summary: [{ type: 'summary_text', text: part.text }] }]
    case 'sealed_thinking':
      return []
    case 'tool_call':
      return [
        {
          id: itemId('tool_call', name),
          type: 'function_call',
          status: 'completed',
          call_id: part.id,
          name: part.name,
          arguments: part.arguments || '{}',
        },
      ]
  }
}
