import { z } from 'zod'
import type { Json, JsonObject } from '../../../../kernel/json/json.ts'
import { usageOf, type AnswerPart, type Finish, type ModelAnswer, type Usage } from '../../exchange/answer.ts'
import type { ModelRequest } from '../../exchange/request.ts'
import { ProviderError } from '../../../providers/provider-error.ts'
import type { AnswerFacts } from '../dialect.ts'
import { AnyObject, answeredArguments, Count, Text, unnamedCall } from '../fields.ts'
import { readReply, refuseBroken } from '../read-body.ts'

/** An answer, or a piece of a streamed one. */
export const Content = z.object({
  responseId: Text,
  modelVersion: Text,
  candidates: z
    .array(
      z.object({
        index: z.int().nullish(),
        content: z
          .object({
            parts: z
              .array(
                z.looseObject({
                  text: z.string().optional(),
                  thought: z.boolean().optional(),
                  thoughtSignature: z.string().optional(),
                  functionCall: z
                    .looseObject({ id: z.string().optional(), name: z.string(), args: AnyObject.optional() })
                    .optional(),
                }),
              )
              .optional(),
          })
          .optional(),
        finishReason: z.string().nullish(),
      }),
    )
    .optional(),
  promptFeedback: z.looseObject({ blockReason: z.string().nullish() }).nullish(),
  usageMetadata: z
    .object({
      promptTokenCount: Count.nullish(),
      candidatesTokenCount: Count.nullish(),
      thoughtsTokenCount: Count.nullish(),
      cachedContentTokenCount: Count.nullish(),
    })
    .nullish(),
})

type Candidate = NonNullable<z.output<typeof Content>['candidates']>[number]

const FINISHES: Readonly<Record<string, Finish>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'refusal',
  RECITATION: 'refusal',
  BLOCKLIST: 'refusal',
  PROHIBITED_CONTENT: 'refusal',
  SPII: 'refusal',
}
/** Reasons of an answer that Google gave up. */
const BROKEN: ReadonlySet<string> = new Set(['OTHER', 'MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL'])
const FINISH_REASONS: Readonly<Record<Finish, string>> = {
  stop: 'STOP',
  stop_sequence: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  refusal: 'SAFETY',
  other: 'OTHER',
}

/** Reads an answer of generate-content. */
export function readAnswer(body: Json, request: ModelRequest | null): ModelAnswer {
  const read = readReply(Content, body)
  const { candidates = [], promptFeedback, usageMetadata } = read
  const isBlocked = Boolean(promptFeedback?.blockReason)
  if (candidates.length === 0 && !isBlocked) {
    throw new ProviderError('invalid_response', 'the answer has no candidates')
  }
  let calls = 0
  return {
    id: read.responseId,
    model: read.modelVersion,
    choices:
      candidates.length === 0
        ? [{ parts: [], finish: 'refusal' }]
        : candidates.map((candidate) => {
            const parts = partsOf(candidate, () => unnamedCall(read.responseId, calls++))
            return { parts, finish: finishOf(candidate.finishReason, hasCalls(parts), request) }
          }),
    usage: usageMetadata ? readUsage(usageMetadata) : null,
  }
}

function hasCalls(parts: readonly AnswerPart[]): boolean {
  return parts.some(({ kind }) => kind === 'tool_call')
}

/** The parts of a candidate; `nextId` names calls that have no id. */
export function partsOf({ content }: Candidate, nextId: () => string): readonly AnswerPart[] {
  return (content?.parts ?? []).flatMap((part): readonly AnswerPart[] => {
    const { text, thought, thoughtSignature: signature, functionCall: call } = part
    if (call) {
      const id = call.id ?? nextId()
      return [{ kind: 'tool_call', id, name: call.name, arguments: JSON.stringify(call.args ?? {}), signature }]
    }
    if (text === undefined || text === '') return []
    return [thought ? { kind: 'thinking', text, signature } : { kind: 'text', text }]
  })
}

/** Reads why an answer ended: one that calls tools only says that it stopped. */
export function finishOf(reason: string | null | undefined, isCalling: boolean, request: ModelRequest | null): Finish {
  refuseBroken(reason, BROKEN, request)
  const finish = (reason && FINISHES[reason]) || 'other'
  return finish === 'stop' && isCalling ? 'tool_calls' : finish
}

/** Reads the counts. */
export function readUsage(usage: NonNullable<z.output<typeof Content>['usageMetadata']>): Usage {
  const reasoning = usage.thoughtsTokenCount ?? 0
  return usageOf({
    inputTokens: usage.promptTokenCount ?? 0,
    cachedTokens: usage.cachedContentTokenCount ?? 0,
    outputTokens: (usage.candidatesTokenCount ?? 0) + reasoning,
    reasoningTokens: reasoning,
  })
}

/** Writes an answer of generate-content. */
export function writeAnswer({ id, model, choices, usage }: ModelAnswer, facts: AnswerFacts): JsonObject {
  return {
    candidates: choices.map(({ parts, finish }, index) => candidateOf(index, parts.flatMap(partOf), finish)),
    modelVersion: model || facts.model,
    responseId: id || facts.id,
    ...(usage && { usageMetadata: writeUsage(usage) }),
  }
}

/** A candidate; while an answer streams it has no end yet. */
export function candidateOf(index: number, parts: readonly JsonObject[], finish: Finish | null): JsonObject {
  return {
    content: { role: 'model', parts },
    ...(finish !== null && { finishReason: FINISH_REASONS[finish] }),
    index,
  }
}

/** A part of an answer on the wire. */
export function partOf(part: AnswerPart): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
      return [{ text: part.text }]
    case 'thinking':
      return [{ text: part.text, thought: true }]
    case 'sealed_thinking':
      return []
    case 'tool_call':
      return [{ functionCall: { id: part.id, name: part.name, args: answeredArguments(part) } }]
  }
}

/** Writes the counts. */
export function writeUsage({ inputTokens, cachedTokens, outputTokens, reasoningTokens }: Usage): JsonObject {
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: outputTokens - reasoningTokens,
    totalTokenCount: inputTokens + outputTokens,
    ...(cachedTokens > 0 && { cachedContentTokenCount: cachedTokens }),
    ...(reasoningTokens > 0 && { thoughtsTokenCount: reasoningTokens }),
  }
}
